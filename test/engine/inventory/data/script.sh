#!/bin/sh
# An inventory script without _meta: it is asked for each host.
case $1 in
--list) echo '{"g": {"hosts": ["d1", "d2"], "vars": {"v": "{{ 1 + 1 }}", "n": 1.0}}, "h": ["d2", "d3"], "i": {"k": 1}, "p": {"children": ["g", "q"]}}' ;;
--host) [ "$2" = d1 ] && echo '{"w": "{{ 2 + 1 }}", "big": 1e3}' || echo '{}' ;;
esac
