import { sh } from '../../shared/shell.ts';
import { type Collector, section } from './collector.ts';
import { interpolate, parseIni } from './ini.ts';

/** Facts that the host's own files state: JSON, INI, or a program that prints either. */
export const local: Collector = {
  name: 'local',
  script: sh`s local; for p in "$fact_path"/*.fact; do
[ -e "$p" ] || [ -L "$p" ] || continue
printf '\\036%s\\037' "$p"
if [ ! -e "$p" ]; then e=$(printf '\\037gone')
elif [ -x "$p" ]; then { e=$(limited "$p" 2>&1 >&3; printf '\\037%s' $?); } 3>&1; else cat "$p"; e=$(printf '\\0370'); fi
printf '\\037%s' "$e"
done`,

  parse(sections) {
    const records = section(sections, 'local').split('\u001e').slice(1);
    return { local: Object.fromEntries(records.map(readFact)) };
  },
};

function readFact(record: string): readonly [string, unknown] {
  const [path = '', text = '', errors = '', code = ''] = record.split('\u001f');
  const name = path.replace(/^.*\//, '').replace(/\.fact$/, '');
  if (code === 'gone') {
    return [name, `Could not stat fact (${path}): it is a link to what is not there`];
  }
  if (code !== '0') {
    return [name, `Failure executing fact script (${path}), rc: ${code}, err: ${errors}`];
  }
  return [name, parseJson(text) ?? readIni(text, path) ?? complaint(path)];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readIni(text: string, path: string): unknown {
  const sections = parseIni(text);
  if (sections === undefined) return undefined;
  try {
    const read = Object.entries(sections).map(([title, values]) => [title, interpolate(values)]);
    return Object.fromEntries(read);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `error loading facts as ini - please check content: ${path} (${why})`;
  }
}

function complaint(path: string): string {
  return `error loading facts as JSON or ini - please check content: ${path}`;
}
