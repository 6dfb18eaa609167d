/* Classes with exponential times at stations one after the other, all under one limit, some under one of their own.
 * Input: limit, classes, stations, seed, events; servers of each station (0: a delay); of each class users (0: open),
 * rate, think time, own limit (0: none), demands. Output, a line a class: mean response time, half width (95 %), throughput.
 * One line in order of arrival; the first that may enter does. Stations share their servers equally. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define K 16
#define S 8
#define LINE (1 << 22)
#define BATCHES 20
#define WARM 4

static unsigned long long state[4];

static double uniform(void) { /* xoshiro256** */
  unsigned long long x = state[1] * 5, r = ((x << 7) | (x >> 57)) * 9, t = state[1] << 17;
  state[2] ^= state[0]; state[3] ^= state[1]; state[1] ^= state[2]; state[0] ^= state[3]; state[2] ^= t;
  state[3] = (state[3] << 45) | (state[3] >> 19);
  return ((r >> 11) + .5) / 9007199254740992.;
}

static int limit, classes, stations, own[K], held[K], inside;
static double servers[S], users[K], rate[K], think[K], demand[K][S], away[K], at[K][S], waiting[K];

static int fits(int k) { return inside < limit && (!own[k] || held[k] < own[k]); }

static void enter(int k) {
  int j = 0;
  while (demand[k][j] == 0) j++;
  at[k][j]++; inside++; held[k]++;
}

int main(void) {
  unsigned long long seed;
  double events, response[BATCHES][K], passed[BATCHES][K];
  int *line = malloc(sizeof(int) * LINE), size = 0;
  if (scanf("%d %d %d %llu %lf", &limit, &classes, &stations, &seed, &events) != 5) return 1;
  for (int i = 0; i < 4; i++) { /* splitmix64 */
    unsigned long long z = seed += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL; z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL; state[i] = z ^ (z >> 31);
  }
  for (int j = 0; j < stations; j++) if (scanf("%lf", servers + j) != 1) return 1;
  for (int k = 0; k < classes; k++) {
    if (scanf("%lf %lf %lf %d", users + k, rate + k, think + k, own + k) != 4) return 1;
    for (int j = 0; j < stations; j++) if (scanf("%lf", &demand[k][j]) != 1) return 1;
    away[k] = users[k];
  }
  for (int b = -WARM; b < BATCHES; b++) {
    double time = 0, jobs[K] = {0}, done[K] = {0};
    for (double e = 0; e < events / BATCHES; e++) {
      double rates[K + K * S], total = 0;
      int who[K + K * S], where[K + K * S], m = 0;
      for (int k = 0; k < classes; k++) {
        double r = users[k] > 0 ? away[k] / think[k] : rate[k];
        if (r > 0) { rates[m] = r; who[m] = k; where[m++] = -1; total += r; }
      }
      for (int j = 0; j < stations; j++) {
        double n = 0, pace;
        for (int k = 0; k < classes; k++) n += at[k][j];
        pace = servers[j] == 0 || n <= servers[j] ? 1 : servers[j] / n;
        for (int k = 0; k < classes; k++)
          if (at[k][j] > 0) { rates[m] = at[k][j] * pace / demand[k][j]; who[m] = k; where[m] = j; total += rates[m++]; }
      }
      time += 1 / total;
      for (int k = 0; k < classes; k++) jobs[k] += (held[k] + waiting[k]) / total;
      double u = uniform() * total;
      int i = 0;
      while (i < m - 1 && u >= rates[i]) u -= rates[i++];
      int k = who[i], j = where[i];
      if (j < 0) {
        if (users[k] > 0) away[k]--;
        if (fits(k)) enter(k);
        else { if (size == LINE) return 2; line[size++] = k; waiting[k]++; }
        continue;
      }
      at[k][j++]--;
      while (j < stations && demand[k][j] == 0) j++;
      if (j < stations) { at[k][j]++; continue; }
      done[k]++; inside--; held[k]--;
      if (users[k] > 0) away[k]++;
      for (int p = 0; p < size && inside < limit;)
        if (fits(line[p])) {
          enter(line[p]); waiting[line[p]]--;
          memmove(line + p, line + p + 1, sizeof(int) * (--size - p));
        } else p++;
    }
    if (b >= 0) for (int k = 0; k < classes; k++) { response[b][k] = jobs[k] / done[k]; passed[b][k] = done[k] / time; }
  }
  for (int k = 0; k < classes; k++) {
    double r = 0, x = 0, v = 0;
    for (int b = 0; b < BATCHES; b++) { r += response[b][k] / BATCHES; x += passed[b][k] / BATCHES; }
    for (int b = 0; b < BATCHES; b++) v += (response[b][k] - r) * (response[b][k] - r);
    printf("%.6g %.3g %.6g\n", r, 2.093 * sqrt(v / (BATCHES - 1) / BATCHES), x);
  }
  return 0;
}
