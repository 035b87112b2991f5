import { expect } from 'chai';
import { PredictedState } from '../../src/engine/host/predicted.ts';
import {
  change,
  defineConversation,
  defineModule,
  type PathState,
  type Plan,
  run,
  type StateModule,
  TaskError,
  UnknownState,
} from '../../src/engine/module.ts';
import {
  type FinishOptions,
  finishModule,
  type ModuleOutcome,
  probeModule,
  runConversation,
  unknownOutcome,
} from '../../src/engine/run-module.ts';
import { list, object, optional, path, raw, secret, string } from '../../src/shared/schema.ts';
import { sh } from '../../src/shared/shell.ts';
import { fakeController, fakeConversation } from '../support/fake-conversation.ts';
import { FakeHost, type FakeHostData } from '../support/fake-host.ts';

const RUN: FinishOptions = { check: false, diff: true, verify: true };

interface Marker {
  readonly path: string;
  readonly password?: string | undefined;
}

const base = {
  name: 'marker',
  aliases: [],
  summary: 'Keep an empty file.',
  args: object({
    path: path('Where.'),
    password: optional(secret('Never shown.')),
    paths: optional(list(path('More.'), 'More paths.')),
  }),
  examples: [],
  returns: {},
};

/** A module that makes a file where there is none. */
const marker = defineModule<Marker, PathState | undefined>({
  ...base,
  probe: (host, args) => host.path(args.path),
  plan(now, args) {
    const { path: name } = args;
    return change(now, now, [now === undefined && run(sh`touch ${name}`)], {
      effects: [{ kind: 'path', name, state: now }],
      diff: { before: { state: now?.type }, after: { state: 'file' } },
    });
  },
  report: (now) => ({ seen: now?.type ?? 'nothing' }),
});

type Loose = StateModule<unknown, unknown, unknown>;

async function play(
  module: unknown,
  args: unknown,
  options: Partial<FinishOptions> = {},
  data: FakeHostData = {},
): Promise<{ readonly outcome: ModuleOutcome; readonly host: FakeHost }> {
  const host = new HostWithTouch(data);
  // Modules are kept without their own types, as in the registry.
  const probed = await probeModule(module as Loose, host, fakeController(), args);
  return { outcome: await finishModule(probed, host, { ...RUN, ...options }), host };
}

/** A fake host on which `touch` makes files. */
class HostWithTouch extends FakeHost {
  override async perform(step: Parameters<FakeHost['perform']>[0]) {
    const output = await super.perform(step);
    const [, made] = step.kind === 'run' ? (/^touch (\S+)$/.exec(step.command.line) ?? []) : [];
    if (made !== undefined) this.become({ paths: { [made]: {} } });
    return output;
  }
}

describe('running a module', () => {
  it('performs the steps, then reports the state reached', async () => {
    const { outcome, host } = await play(marker, { path: '/a' });
    expect(outcome.result).to.deep.equal({ changed: true, seen: 'file' });
    expect(outcome.touched).to.equal(true);
    expect(host.performed).to.have.length(1);
  });

  it('does nothing where the host conforms', async () => {
    const { outcome } = await play(marker, { path: '/a' }, {}, { paths: { '/a': {} } });
    expect(outcome.result).to.deep.equal({ changed: false, seen: 'file' });
    expect(outcome.touched).to.equal(false);
  });

  it('performs nothing in a check run and predicts instead', async () => {
    const predicted = new PredictedState();
    const { outcome, host } = await play(marker, { path: '/a' }, { check: true, predicted });
    expect(outcome.result).to.deep.equal({ changed: true, seen: 'nothing' });
    expect(host.performed).to.deep.equal([]);
    expect(predicted.last('path', '/a')).to.include({ kind: 'path', name: '/a' });
  });

  it('shows the diff only when it is asked for', async () => {
    const shown = await play(marker, { path: '/a' });
    expect(shown.outcome.diff).to.deep.equal({
      before: { state: undefined },
      after: { state: 'file' },
    });
    const hidden = await play(marker, { path: '/a' }, { diff: false });
    expect(hidden.outcome.diff).to.equal(undefined);
  });

  it('fails when the same change would be needed again', async () => {
    const stubborn = { ...marker, plan: () => change(undefined, undefined, [run(sh`true`)]) };
    const error: unknown = await play(stubborn, { path: '/a' }).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(TaskError);
    expect(String(error)).to.include('did not converge: after the change it still has to run true');
    const { outcome } = await play(stubborn, { path: '/a' }, { verify: false });
    expect(outcome.result['changed']).to.equal(true);
  });

  it('does not expect a step that is always planned to vanish, nor probe again for it', async () => {
    let probes = 0;
    const restart = {
      ...marker,
      probe: async () => {
        probes += 1;
        return undefined;
      },
      plan: () => change(undefined, undefined, [run(sh`reload`, { always: true })]),
    };
    const { outcome } = await play(restart, { path: '/a' });
    expect(outcome.result['changed']).to.equal(true);
    expect(probes).to.equal(1);
  });

  it('does not count quiet steps as a change', async () => {
    const quiet = {
      ...marker,
      plan: () => change(undefined, undefined, [run(sh`reload`, { quiet: true, always: true })]),
    };
    const { outcome, host } = await play(quiet, { path: '/a' });
    expect(outcome.result['changed']).to.equal(false);
    expect(host.performed).to.have.length(1);
  });

  it('reports what cannot be known as the module says', async () => {
    const command = {
      ...marker,
      plan: (): Plan<undefined> =>
        change(undefined, undefined, [run(sh`date`, { always: true })], {
          unknowable: { changed: false, skipped: true },
        }),
    };
    const predicted = new PredictedState();
    const { outcome } = await play(command, { path: '/a' }, { check: true, predicted });
    expect(outcome.result).to.deep.equal({ changed: false, skipped: true });
  });

  describe('with secrets', () => {
    it('shows them in no error, its hint included', async () => {
      const probe = () => {
        throw new TaskError('hunter2 is wrong', {
          hint: 'hunter2 was sought',
          result: { said: 'hunter2!' },
        });
      };
      const given = { path: '/a', password: 'hunter2' };
      const error: unknown = await play({ ...marker, probe }, given).catch((each) => each);
      expect(error).to.deep.include({
        message: '******** is wrong',
        hint: '******** was sought',
        result: { said: '********!' },
      });
    });

    const args = { path: '/a', password: 'hunter2' };
    const leaky = {
      ...marker,
      plan: (now: unknown) => {
        const step = run(sh`login --password hunter2`, { always: true });
        const diff = { before: 'password: hunter2', after: 'hunter2' };
        return change(now, now, [step], { diff });
      },
      report: () => ({ msg: 'logged in with hunter2', key: 'hunter2' }),
    };

    it('masks them in result, diff, plan and invocation', async () => {
      const { outcome } = await play(leaky, args);
      expect(JSON.stringify(outcome)).not.to.include('hunter2');
      expect(outcome.result['msg']).to.equal('logged in with ********');
      expect(outcome.result['key']).to.equal('VALUE_SPECIFIED_IN_NO_LOG_PARAMETER');
      expect(outcome.invocation).to.deep.include({ path: '/a' });
    });

    it('masks them in errors', async () => {
      const commands = [{ match: 'login*', code: 1, stderr: 'hunter2 is wrong' }];
      const error = await play(leaky, args, {}, { commands }).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(TaskError);
      const { message, result } = error as TaskError; // Asserted in the line above.
      expect(message + JSON.stringify(result)).not.to.include('hunter2');
    });
  });

  describe('with paths', () => {
    const answers = (...values: string[]) => ({
      commands: [{ match: '*', stdout: values.map((value) => `${value}\0`).join('') }],
    });

    for (const [written, values, meant] of [
      ['~/a', ['=/root'], '/root/a'],
      ['~app/a', ['=/srv/app'], '/srv/app/a'],
      ['$HOME/a', ['=/root'], '/root/a'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's variables, not ours
      ['/x/${HOME}b', ['=/root'], '/x//rootb'],
      ['/x/$NOPE/a', [''], '/x/$NOPE/a'],
      ['/x/$(id)/`id`', [], '/x/$(id)/`id`'],
      ['/x/~/a', [], '/x/~/a'],
      ['~nobody-knows/a', [''], '~nobody-knows/a'],
    ] as const) {
      it(`takes ${written} for ${meant}`, async () => {
        const data = { ...answers(...values), paths: { [meant]: {} } };
        const { outcome } = await play(marker, { path: written }, {}, data);
        expect(outcome.invocation).to.deep.include({ path: meant });
      });
    }

    it('expands the paths in lists too, with one read', async () => {
      const args = { path: '/a', paths: ['~/b', '/c'] };
      const data = { ...answers('=/root'), paths: { '/a': {} } };
      const { outcome } = await play(marker, args, {}, data);
      expect(outcome.invocation).to.deep.include({ paths: ['/root/b', '/c'] });
    });
  });
});

describe('a task that cannot be known in a check run', () => {
  it('is unknown when its probe says so', () => {
    const error = new UnknownState('package containerd');
    const outcome = unknownOutcome(error, new PredictedState());
    expect(outcome?.unknown).to.deep.equal(['package containerd']);
    expect(outcome?.result).to.deep.equal({
      changed: true,
      msg: 'unknown (depends on: package containerd)',
    });
  });

  it('is unknown when it fails where packages would have been installed', () => {
    const predicted = new PredictedState();
    predicted.apply([{ kind: 'package', name: 'postgresql', installed: true }]);
    const outcome = unknownOutcome(new TaskError('no user postgres'), predicted);
    expect(outcome?.result['msg']).to.equal(
      'unknown (depends on: package postgresql): no user postgres',
    );
  });

  it('fails when it fails on the controller, whatever is uncertain', async () => {
    const prepare = () => {
      throw new TaskError('there is no template', { hint: 'write it' });
    };
    const error: unknown = await play({ ...marker, prepare }, { path: '/a' }).catch((each) => each);
    const predicted = new PredictedState();
    predicted.apply([{ kind: 'package', name: 'postgresql', installed: true }]);
    expect(error).to.include({ message: 'there is no template', hint: 'write it' });
    expect(unknownOutcome(error, predicted)).to.equal(undefined);
  });

  it('fails where nothing is uncertain, and where the error is of another kind', () => {
    expect(unknownOutcome(new TaskError('no'), new PredictedState())).to.equal(undefined);
    const predicted = new PredictedState();
    predicted.apply([{ kind: 'other', name: 'archive' }]);
    expect(unknownOutcome(new TypeError('bug'), predicted)).to.equal(undefined);
  });
});

describe('running a conversation', () => {
  const talk = defineConversation({
    ...base,
    args: object({ greeting: string('What to say.'), token: optional(secret('Hidden.')) }),
    run: async (_, { greeting, token }) => ({ result: { said: `${greeting} ${token}` } }),
  });
  const converse = (module: unknown, args: Record<string, unknown>, check: boolean) => {
    const conversation = fakeConversation(new FakeHost(), fakeController(), new Map());
    type Module = Parameters<typeof runConversation>[0];
    return runConversation(module as Module, conversation, args, { check });
  };

  it('gives its result, with secrets masked', async () => {
    const { result } = await converse(talk, { greeting: 'hi', token: 's3cret' }, false);
    expect(result).to.deep.equal({ changed: false, said: 'hi ********' });
  });

  it('masks only the secret members of a value that is otherwise no secret', async () => {
    const kubeconfig = optional({ ...raw('Where.'), secretMembers: ['token'] });
    const tell = defineConversation({
      ...base,
      args: object({ kubeconfig }),
      run: async (_, args) => ({ result: { said: JSON.stringify(args.kubeconfig) } }),
    });
    const value = { users: [{ name: 'me', user: { token: 's3cret' } }] };
    const { result } = await converse(tell, { kubeconfig: value }, false);
    expect(result['said']).to.equal('{"users":[{"name":"me","user":{"token":"********"}}]}');
    const path = await converse(tell, { kubeconfig: '/etc/admin.conf' }, false);
    expect(path.result['said']).to.equal('"/etc/admin.conf"');
  });

  it('gives what it says of check runs instead of running', async () => {
    const careful = { ...talk, resultInCheckMode: () => ({ skipped: true }) };
    const outcome = await converse(careful, { greeting: 'hi' }, true);
    expect(outcome.result).to.deep.equal({ changed: false, skipped: true });
    expect(outcome.touched).to.equal(false);
  });

  it('runs in a check run when it changes nothing', async () => {
    const { result } = await converse(talk, { greeting: 'hi', token: 'x' }, true);
    expect(result['said']).to.equal('hi ********');
  });
});
