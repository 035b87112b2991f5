import { expect } from 'chai';
import { LateBanners } from '../../src/cli/output/late-banners.ts';
import type { TaskInfo } from '../../src/engine/run/events.ts';

function task(title: string, line: number): TaskInfo {
  const position = { file: 'play.yaml', line, column: 5 };
  const rest = { action: 'debug', module: 'debug', role: undefined, tags: [] };
  return { title, position, ...rest, handler: false, checkMode: false };
}

describe('banners of tasks whose hosts go by themselves', () => {
  it('come before what a task shows, unless the last one says the same', () => {
    const shown: string[] = [];
    const banners = new LateBanners();
    const begin = (info: TaskInfo) => {
      banners.keep(info, () => shown.push(info.title));
      return info;
    };
    const [first, second] = [begin(task('One', 1)), begin(task('One', 1))];
    const other = begin(task('Two', 2));
    for (const info of [first, second, other, second]) banners.introduce(info);
    expect(shown).to.deep.equal(['One', 'Two', 'One']);
  });

  it('are left to tasks whose hosts go together', () => {
    expect(() => new LateBanners().introduce(task('One', 1))).not.to.throw();
  });
});
