import { assign, withEnv } from './assignment.ts';
import type { ForStatement } from './ast.ts';
import { truthy } from './compare.ts';
import type { Code, StatementContext } from './compile-context.ts';
import { type Emit, Env, type Frame } from './frame.ts';
import { membersOf } from './iterate.ts';
import { Loop } from './loop.ts';
import type { Val } from './objects.ts';
import { joinNodes } from './output.ts';

interface ForCode {
  readonly statement: ForStatement;
  readonly filter: Code | undefined;
  readonly body: Emit;
  readonly otherwise: Emit;
}

/** Compiles a for statement. */
export function compileFor(statement: ForStatement, compiler: StatementContext): Emit {
  const iterable = compiler.expression(statement.iterable);
  const code: ForCode = {
    statement,
    filter: statement.filter && compiler.expression(statement.filter),
    body: compiler.body(statement.body),
    otherwise: compiler.body(statement.otherwise),
  };
  return (frame, out) => {
    frame.at = statement.at;
    const value = iterable(frame);
    frame.at = statement.at;
    const outer = frame.env;
    runLoop(code, { frame, outer, depth: 0 }, membersOf(value, frame.runtime), out);
  };
}

interface LoopPlace {
  readonly frame: Frame;
  readonly outer: Env | undefined;
  readonly depth: number;
}

function runLoop(code: ForCode, place: LoopPlace, given: readonly Val[], out: Val[]): void {
  const { frame, outer, depth } = place;
  const items = code.filter === undefined ? [...given] : filtered(code, code.filter, place, given);
  if (items.length === 0) {
    withEnv(frame, new Env(outer), () => code.otherwise(frame, out));
    return;
  }
  const recurse = (inner: readonly Val[], level: number) => {
    const nested: Val[] = [];
    runLoop(code, { ...place, depth: level }, inner, nested);
    return joinNodes(nested);
  };
  const loop = new Loop({ items, depth, recurse: code.statement.recursive ? recurse : undefined });
  items.forEach((item, index) => {
    frame.runtime.step();
    loop.index0 = index;
    const env = new Env(outer);
    env.set('loop', loop);
    withEnv(frame, env, () => {
      assign(code.statement.target, item, frame);
      code.body(frame, out);
    });
  });
}

function filtered(
  code: ForCode,
  filter: Code,
  { frame, outer }: LoopPlace,
  items: readonly Val[],
): Val[] {
  return items.filter((item) => {
    let keep = false;
    frame.runtime.step();
    withEnv(frame, new Env(outer), () => {
      assign(code.statement.target, item, frame);
      keep = truthy(filter(frame));
    });
    return keep;
  });
}
