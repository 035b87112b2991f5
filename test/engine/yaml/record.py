"""Records how PyYAML reads scalars and documents: `python3 record.py` rewrites the JSON files beside it.

Needs PyYAML with libyaml, as ansible-core has it. Values are written as [type, text]; None = refused.
"""
import datetime, json, os, yaml

HERE = os.path.dirname(os.path.abspath(__file__))

SCALARS = r"""
~|null|Null|NULL|nULL|none|None|yes|Yes|YES|yEs|no|No|NO|nO|on|On|ON|oN|off|Off|OFF|true|True|TRUE|tRUE|false|False
FALSE|y|Y|n|N|t|f|0|00|000|-0|+0|1|-1|+1|12345|007|0644|0755|-0644|+0644|08|09|018|0o644|0O17|0b11|0B11|-0b11|+0b101
0b1_0|0b12|0x1F|0x1f|0X1F|-0xff|+0xFF|0x|0b|0xfg|0x_1|0x1_0|1_000|1__000|_1|1_|-1_0|1_000_000|22:22|1:30:00|1:30|0:30
10:60|10:59|1:2:3:4|-1:30|+1:30|01:30|190:20:30|190:20:30.15|22:22:61|1:5|1:05|1:005|60:00|1.0|1.10|1.|.5|-.5|+.5|0.5
-0.5|+0.5|.|..|...x|1.0e3|1.0e+3|1.0e-3|1.0E+3|1e3|1e+3|1e-3|1E5|6.02e+23|6.02e23|1.5e+300|1.0e+400|-1.0e+400|.e+1|1.e+2
1_000.5|1_0.2_5|1.2.3|v1.2|1.2.3.4|127.0.0.1|10.0.0.0/8|::1|fe80::1|.inf|.Inf|.INF|.iNF|-.inf|+.inf|inf|.nan|.NaN|.NAN
.Nan|nan|-.nan|1:30.5|1:30.|-1:30.25|1:60.5|2024-01-01|2024-1-1|2024-01-1|2024-12-31|2024-13-01|2024-02-30|2024-02-29
2023-02-29|0000-01-01|0001-01-01|2024-01-01T00:00:00Z|2024-01-01t00:00:00z|2024-01-01T00:00:00|2024-01-01 00:00:00
2024-1-1 1:02:03|2024-01-01 12:34:56.789|2024-01-01 12:34:56.7891234|2024-01-01 12:34:56.|2024-01-01T12:00:00+02:00
2024-01-01T12:00:00-0530|2024-01-01T12:00:00-05:30|2024-01-01T12:00:00 +5|2024-01-01T12:00:00+00:00|2024-01-01T12:00:00-00:00
2024-01-01T25:00:00Z|2024-01-01T12:60:00Z|2024-01-01T12:00:60Z|2024-01-01T12:00|2024-01-01T|20240101|2024-01|24-01-01
2024-01-01x|2024-01-01T12:00:00+24:00|2024-01-01T12:00:00+23:59|=|<<|==|<|<=|a=b|hello|hello world|a b  c|a#b|a:b|a: b
http://x.y:80/z|C:\x|-|--|- a|-a|-1a|--1|+|+-1|++1|?a|? a|:a|: a|a:|@a|`a|%a|a%b|!a|!!str 1|!!str yes|!!str|!!int 12
!!int "12"|!!int 0x1f|!!int abc|!!float 1|!!float 1.5|!!float 1e3|!!float abc|!!bool yes|!!bool "no"|!!bool x|!!null x
!!timestamp 2024-01-01|!!timestamp x|!!binary aGVsbG8=|!!str 2024-01-01|! 12|! yes|!foo 1|*a|&a|&a 1|"1"|'1'|"yes"|'~'|""|''
"a\nb"|'a\nb'|"a\tb"|"\x41"|"\u00e9"|"\U0001F600"|"\e[0m"|"\/"|"\q"|'it''s'|"a\"b"|"\ a"|"a\0b"|'a' b|"a" b|[]|{}|[1, yes, 08]
{a: 1, b: no}|{a, b}|{a: }|[a, ]|[a: b]|[a, , b]|{a:1}|{"a":1}|[1|{a: 1|]|}|a]|a}|a,b|a, b|[a b, c]|{2: a, 1.5: b, yes: c, ~: d}
99999999999999999999|-99999999999999999999|0xffffffffffffffffffff|9007199254740993|9007199254740991|0777777777777777777777777
1.7976931348623157e+308|4.9e-324|123456789.123456789|0.1|1.0|100.0|1.5e+3|-0.0|é|日本|😀|a # b|a #b|#a|'a' # b|1 # one|yes # no
""".strip("\n")

DOCUMENTS = [
    "", "\n", "# only a comment\n", "---\n", "---\n...\n", "a\n...\n", "%YAML 1.1\n---\na: 1\n",
    "a: 1\nb: 2\n", "a:\n  b: 1\n  c:\n  - 1\n  - 2\n", "- a\n- b: 1\n  c: 2\n", "-\n  a\n-\n- b\n",
    "- - 1\n  - 2\n- - 3\n", "a: |\n  x\n  y\n", "a: |-\n  x\n  y\n", "a: |+\n  x\n\n\nb: 1\n", "a: >\n  x\n  y\n\n  z\n",
    "a: >-\n  x\n    y\n  z\n", "a: |2\n    x\n   y\n", "a: |\n\n  x\n", "a: >\n\n  x\n\n   y\n  z\n", "a: |\n  \tx\n",
    "a: b\n c\n d\n", "a: 'x\n  y\n\n  z'\n", "a: \"x\n  y\\\n  z\"\n", "a: \"x\\n\\\n   y\"\n", "a:   b   \n", "a : b\n",
    "'a b': 1\n\"c\": 2\n", "? a\n: b\n", "? a\n", "? [a]\n: b\n", "? {a: b}\n: c\n", "a: b: c\n", "a: b\n  c: d\n",
    "a: [1,\n  2,\n 3]\n", "a: {b: 1,\n c: 2}\n", "a:\n- 1\n- 2\nb: 3\n", "a:\n - 1\n- 2\n",
    "x: &d {a: 1, b: 2}\ny:\n  b: 3\n  <<: *d\n  c: 4\n", "x: &a {p: 1}\nz: &b {p: 2, q: 3}\ny:\n  <<: [*a, *b]\n",
    "y:\n  <<: {a: 1}\n  <<: {a: 2, b: 3}\n", "y:\n  <<: 1\n", "y:\n  <<: [1]\n", "y:\n  <<:\n", "a: &x 1\nb: *x\nc: &x 2\nd: *x\n",
    "a: *x\n", "&a b: 1\nc: *a\n", "a: &x\n  - 1\nb: *x\n", "a: 1\na: 2\n", "2: a\n1.5: b\ntrue: c\n~: d\n2024-01-01: e\n",
    "\ta: 1\n", "a:\n\t- 1\n", "a:\n\tb: 1\n", "a:\tb\n", "a: b\t\n", "a: b\tc\n", "a: b\t# c\n", "-\ta\n", "- \ta\n", "a: 'x\ty'\n",
    "a: [1,\t2]\n", "{\n\t\"a\": 1\n}\n", "a: 1\n\t\nb: 2\n", "a: 1\n\t# c\nb: 2\n", "a: |\n  x\n\t\n  y\n",
    "--- a\n--- b\n", "---\na: 1\n---\n", "a: {{ x }}\n", "a: {{ x }}/y\n", "- {{ x }}\n", "{{ x }}: y\n", "a: x {{ y }}\n", "a: {% x %}\n",
    "a: \"{{ x }}\"\n", "a:\n  b\n c: d\n", "  a: 1\n  b: 2\n", "  a: 1\n b: 2\n", " a: 1\n  b: 2\n", "a: 1\n b: 2\n", "- a\n b\n", "- a\nb: c\n",
    "a: - b\n", "a: # c\n  b\n", "a:# c\n", "a: 'it's'\n", "a: \"x\n", "a: 'x\n", "a: [1, 2\n", "a: x]\n", "a: 1 2 3\n", "a: ,b\n", "a: b, c\n",
    "a: !!set {x, y}\n", "a: !!omap [{x: 1}, {y: 2}]\n", "a: !!pairs [{x: 1}, {x: 2}]\n", "a: !!map {x: 1}\n", "a: !!seq [1]\n", "a: !foo {x: 1}\n",
    "a: !!str\n", "a: !!str\nb: 1\n", "\ufeffa: 1\n", "a: \x07\n", "a: \x7f\n", "a: \u2028b\n", "a: b\r\nc: d\r\n",
    "key with spaces: v\n", "a.b: 1\na-b: 2\n", "- !!int '7'\n", "[a, b]\n", "{a: b}\n", "\"x\"\n", "'x'\n", "|\n x\n", ">\n x\n y\n", "a: >\n", "a: |\nb: 1\n",
    "a: b # c\n# d\nc: d\n", "a: 'b' # c\n", "a: \"b\"# c\n", "a: @x\n", "a: `x\n", "a: %x\n", "a: x%\n", "a: -\n", "a: - \n", "-\n-\n", "- # c\n- 1\n",
    "a: ? b\n", "a: &x\n", "a: !!null\n", "- &x a\n- *x\n", "- *x\n- &x a\n", "a: {x: 1, x: 2}\n", "a: {b: [c, {d: e}]}\n", "a: [[1, 2], [3]]\n",
    "a: {b: c: d}\n", "a: [b: c, d: e]\n", "a: {? b : c}\n", "a: [? b]\n", "a: {:b}\n", "a: [:b]\n", "a: [b:c]\n", "a: {b:c}\n", "a: {b: 'c',}\n", "a: [,]\n", "a: {,}\n",
    "a: \"\\u263a\"\n", "a: \"\\x4\"\n", "a: '\\'\n", "a: \"\\\n b\"\n", "a: |\n  x", "a: |-\n  x", "a: |+\n  x", "a: >\n  x\n  y", "a: |\n  x\n  ", "a: |\n  x\n# c", "a: |\n  x\n\n", "- |\n x\n- |\n y", "=: 1\n", "a: !\n", "...\n", "...\na\n", "a\n---\n", "%FOO\n---\na\n", "%YAML 3.0\n---\na\n", "--- |\n x\n", "--- >-\n x\n y\n", "---a\n", "--- # c\na: 1\n",
]


def plain(value):
    if value is None:
        return ["null", ""]
    if isinstance(value, bool):
        return ["bool", str(value)]
    if isinstance(value, (list, tuple)):
        return ["list", [plain(each) for each in value]]
    if isinstance(value, set):
        return ["list", [plain(each) for each in value]]
    if isinstance(value, dict):
        return ["dict", [[plain(k), plain(v)] for k, v in value.items()]]
    if isinstance(value, bytes):
        return ["str", value.decode()]
    if isinstance(value, float):
        return ["float", repr(value)]
    if isinstance(value, (datetime.date, datetime.datetime)):
        return ["time", str(value)]
    return [type(value).__name__, str(value)]


def read(text):
    try:
        return plain(yaml.load(text, Loader=yaml.CSafeLoader))
    except Exception:
        return None


def record(name, texts):
    cases = [{"text": text, "value": read(text)} for text in dict.fromkeys(texts)]
    body = ",\n".join(json.dumps(case, ensure_ascii=True) for case in cases)
    with open(os.path.join(HERE, name), "w") as out:
        out.write("[\n" + body + "\n]\n")


record("scalars.json", ["v: " + each for line in SCALARS.split("\n") for each in line.split("|")])
record("documents.json", DOCUMENTS)
