addEventListener('beforeprint', () => document.querySelectorAll('details.table').forEach(each => each.open = true))
addEventListener('DOMContentLoaded', () => {
  const form = document.querySelector('nav form')
  const fits = (section, wanted) => ['document', 'center', 'verdict'].every(
    name => !wanted.get(name) || section.dataset[name].split('|').includes(wanted.get(name)))
  form.addEventListener('input', () => {
    const wanted = new FormData(form)
    const shown = new Set()
    document.querySelectorAll('section.case').forEach(section => {
      section.hidden = !fits(section, wanted)
      if (!section.hidden) shown.add(section.dataset.case)
    })
    document.querySelectorAll('nav li').forEach(each => each.hidden = !shown.has(each.dataset.case))
    document.querySelector('#shown').textContent = shown.size + (shown.size === 1 ? ' case' : ' cases')
  })
})
