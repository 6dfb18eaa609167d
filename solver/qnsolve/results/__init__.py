"""Answers: rows, solutions, and how every answer prints and exports."""
