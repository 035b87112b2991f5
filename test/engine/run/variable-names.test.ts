import { expect } from 'chai';
import { stringify } from 'yaml';
import { InvalidInput } from '../../../src/shared/errors.ts';
import { makeWorld, playHere, type World } from '../../support/play-here.ts';

/** Words of Python and Jinja: Ansible takes them as names of variables. */
const WORDS = ['if', 'and', 'not', 'class', 'lambda', 'import', 'hostvars'];
const WRONG = [200, true, '200', '1a', 'a-b', 'a b', 'None', 'true', 'é', ''];

describe('names of variables', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  const play = async (tasks: readonly object[]) => {
    const plays = [{ hosts: 'all', gather_facts: false, tasks }];
    world.write({ 'play.yaml': stringify(plays) });
    return await playHere(world, { flags: { inventory: ['localhost,'], connection: 'local' } });
  };

  it('may be words of Python and Jinja', async () => {
    const tasks = WORDS.flatMap((name) => [
      { debug: {}, register: name },
      { debug: {}, vars: { [name]: 1 } },
      { set_fact: { [name]: 1 } },
      { debug: {}, loop: [1], loop_control: { loop_var: name, index_var: `${name}_` } },
    ]);
    expect((await play(tasks)).failures).to.deep.equal([]);
  });

  for (const name of WRONG) {
    it(`are refused by register before the run: ${JSON.stringify(name)}`, async () => {
      const refusal = await play([{ debug: {}, register: name }]).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(refusal).to.be.instanceOf(InvalidInput);
      expect(String(refusal)).to.include(`register: "${name}" is not a variable name`);
    });
  }

  for (const name of WRONG.filter((each) => each !== '')) {
    it(`fail the task that makes them: ${JSON.stringify(name)}`, async () => {
      const ignore = { ignore_errors: true };
      const played = await play([
        { name: 'fact', set_fact: { [String(name)]: 1 }, ...ignore },
        { name: 'loop', debug: {}, loop: [1], loop_control: { loop_var: name }, ...ignore },
      ]);
      for (const task of ['fact', 'loop']) {
        const { msg } = played.result(task);
        expect(msg, task).to.include('Invalid variable name');
      }
    });
  }
});
