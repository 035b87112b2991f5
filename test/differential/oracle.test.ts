import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { dumpJson, parseJson } from '../../src/engine/jinja/json.ts';
import { fromPlain, type Value } from '../../src/engine/values.ts';
import { makeWorld, playHere, type World } from '../support/play-here.ts';

const ORACLE = new URL('../engine/jinja/oracle.json', import.meta.url);
const BATCH = 50;

/** The recorded Ansible had no collections, whose filters are built in here: `json-query` in docs/differences.md. */
const WITHOUT_COLLECTIONS = { ...process.env, TSPROV_COLLECTION_FILTERS: 'false' };

type Table = ReadonlyMap<string, Value>;
type Kind = 'exprs' | 'tmpls' | 'conds' | 'args';

interface Case {
  readonly asked: Value;
  readonly answer: Table;
}

class Oracle {
  readonly #data = parseJson(readFileSync(ORACLE, 'utf8')) as Table; // The file is an object.

  table(key: string): Table {
    return this.#data.get(key) as Table; // As the file is made.
  }

  cases(kind: Kind): readonly Case[] {
    const pairs = this.#data.get(kind) as readonly (readonly [Value, Table])[]; // As the file is made.
    return pairs.map(([asked, answer]) => ({ asked, answer }));
  }
}

interface Maker {
  task(asked: Value, i: number): Record<string, unknown>;
  /** Expression for what the task answered, from the variable that it set; nothing where a file is the answer. */
  collect?(variable: string): string;
  read(raw: Value): string;
}

const GONE = "default({'failed': true})";
const ERROR = 'error';

/** How each kind of case is played, and how its answer is read back. */
function makers(world: World): Readonly<Record<Kind, Maker>> {
  return {
    exprs: {
      task: (asked, i) => ({
        set_fact: { [`exprs_${i}`]: `b:{{ {'v': (${asked})} | to_json | b64encode }}` },
      }),
      collect: (variable) => `${variable} | default('')`,
      read: (raw) => (raw === '' ? ERROR : member(parseJson(decoded(String(raw))), 'v')),
    },
    tmpls: {
      task: (asked, i) => {
        world.write({ [`t${i}.j2`]: String(asked) });
        return { template: { src: `t${i}.j2`, dest: world.path(`out/t${i}`) } };
      },
      read: (raw) => dumpJson(raw),
    },
    conds: {
      task: (asked, i) => ({ debug: { msg: 'ran' }, when: asked, register: `conds_${i}` }),
      collect: (variable) => {
        const gone = `(${variable} | ${GONE})`;
        return `('failed' if ${gone}.failed | default(false) else ('skipped' if ${gone}.skipped | default(false) else 'true'))`;
      },
      read: String,
    },
    args: {
      task: (asked, i) => ({ debug: { msg: asked }, register: `args_${i}` }),
      collect: (variable) => {
        const gone = `(${variable} | ${GONE})`;
        return `({'e': 1} if ${gone}.failed | default(false) else {'v': ${gone}.msg})`;
      },
      read: (raw) => member(raw, 'v'),
    },
  };
}

function decoded(text: string): string {
  return Buffer.from(text.slice(2), 'base64').toString();
}

function member(value: unknown, name: string): string {
  const found = value instanceof Map ? (value as Table).get(name) : undefined; // Keys are text.
  return found === undefined ? ERROR : dumpJson(found);
}

describe('the recorded answers of ansible-core, through the front door', function () {
  this.timeout(900_000);
  const oracle = new Oracle();
  let world: World;
  let played = 0;

  before(() => {
    world = makeWorld();
    mkdirSync(world.path('out'));
    const files = [...oracle.table('files')].map(([name, text]) => [name, String(text)]);
    world.write(Object.fromEntries(files));
    world.write({
      'hosts.ini': 'ctl ansible_connection=local\n[web]\nh1 ip=10.0.0.1\nh2 ip=10.0.0.2\n',
    });
  });
  after(() => world.remove());

  const titles: Readonly<Record<Kind, string>> = {
    exprs: 'expressions',
    tmpls: 'template files',
    conds: 'conditions',
    args: 'arguments of tasks',
  };
  for (const [kind, title] of Object.entries(titles) as [Kind, string][]) {
    it(`are met for every one of the ${title}`, async () => {
      const maker = makers(world)[kind];
      const cases = oracle.cases(kind);
      await playCases(kind, maker, cases);
      expect(misses(cases, answersOf(kind, maker, cases.length))).to.deep.equal([]);
      played += cases.length;
    });
  }

  it('are met for all 2,101 of them', () => {
    expect(played).to.equal(2101);
  });

  async function playCases(kind: Kind, maker: Maker, cases: readonly Case[]): Promise<void> {
    const tasks = cases.flatMap(({ asked }, i) => {
      const task = { ...maker.task(asked, i), ignore_errors: true };
      const isLast = i % BATCH === BATCH - 1 || i === cases.length - 1;
      return isLast && maker.collect ? [task, writing(kind, maker.collect, i)] : [task];
    });
    const vars = new Map(oracle.table('ctx'));
    for (const name of ['hostvars', 'groups']) vars.delete(name);
    const play = { hosts: 'ctl', gather_facts: false, vars, tasks };
    world.write({ 'play.yaml': dumpJson(fromPlain([play])) });
    const flags = { inventory: [world.path('hosts.ini')] };
    const config = { environment: WITHOUT_COLLECTIONS };
    await playHere(world, { flags, config, options: { verify: false } });
  }

  function writing(kind: Kind, collect: (variable: string) => string, last: number) {
    const first = last - (last % BATCH);
    const indexes = Array.from({ length: last - first + 1 }, (_, i) => first + i);
    const members = indexes.map((i) => `'${i}': ${collect(`${kind}_${i}`)}`).join(', ');
    const dest = world.path(`out/${kind}-${first}`);
    return { copy: { content: `{{ {${members}} | to_json }}`, dest }, ignore_errors: true };
  }

  function answersOf(kind: Kind, maker: Maker, count: number): string[] {
    return Array.from({ length: count }, (_, i) => {
      if (maker.collect === undefined) {
        const path = world.path(`out/t${i}`);
        return existsSync(path) ? maker.read(readFileSync(path, 'utf8')) : ERROR;
      }
      const path = world.path(`out/${kind}-${i - (i % BATCH)}`);
      if (!existsSync(path)) return 'lost';
      const batch = parseJson(readFileSync(path, 'utf8')) as Table; // Written by a task as an object.
      return maker.read(batch.get(String(i)) ?? '');
    });
  }
});

function misses(cases: readonly Case[], got: readonly string[]): string[] {
  return cases.flatMap(({ asked, answer }, i) => {
    const text = dumpJson(asked);
    const wanted = answer.has('e') ? ERROR : (answer.get('s') ?? dumpJson(answer.get('v') ?? null));
    return got[i] === wanted ? [] : [`${text}: expected ${String(wanted)}, got ${got[i]}`];
  });
}
