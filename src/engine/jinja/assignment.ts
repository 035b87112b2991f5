import type { Target } from './ast.ts';
import { TemplateError } from './errors.ts';
import type { Env, Frame } from './frame.ts';
import { membersOf } from './iterate.ts';
import { Namespace } from './namespace.ts';
import type { Val } from './objects.ts';

/** Runs something with other names in the frame. */
export function withEnv(frame: Frame, env: Env, run: () => void): void {
  const before = frame.env;
  frame.env = env;
  try {
    run();
  } finally {
    frame.env = before;
  }
}

/** Assigns a value to a target of set, for or with. */
export function assign(target: Target, value: Val, frame: Frame): void {
  if (target.kind === 'name') {
    frame.env?.set(target.name, value);
  } else if (target.kind === 'member') {
    const namespace = frame.resolve(target.name);
    if (!(namespace instanceof Namespace)) {
      throw new TemplateError(`"${target.name}" is no namespace, so its members cannot be set`);
    }
    namespace.set(target.member, value);
  } else {
    unpack(target.items, value, frame);
  }
}

function unpack(targets: readonly Target[], value: Val, frame: Frame): void {
  const items = membersOf(value, frame.runtime);
  if (items.length !== targets.length) {
    throw new TemplateError(
      `${items.length} values cannot be unpacked into ${targets.length} names`,
    );
  }
  targets.forEach((target, index) => {
    assign(target, items[index] ?? null, frame);
  });
}
