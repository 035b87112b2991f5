import { expect } from 'chai';
import { bootFileName } from '../../../src/modules/support/boot/firmware-config.ts';

const PI4 = 'Raspberry Pi 4 Model B Rev 1.4';

function pathOf(config: string, { model = PI4, isTrial = false, more = {} } = {}): string {
  const files = new Map(Object.entries({ 'config.txt': config, ...more }));
  return bootFileName(files, { model, isTrial }).path;
}

describe('the name of the boot file in config.txt', () => {
  it('is cmdline.txt where nothing is said', () => {
    expect(pathOf('')).to.equal('cmdline.txt');
    expect(pathOf('# os_prefix=old/\narm_64bit=1\ncmdline=\n')).to.equal('cmdline.txt');
  });

  it('has the prefix and the name of the last settings that apply', () => {
    expect(pathOf('os_prefix=a/\nos_prefix=current/\r\n')).to.equal('current/cmdline.txt');
    expect(pathOf('cmdline=nobtcmd.txt\n')).to.equal('nobtcmd.txt');
    expect(pathOf('[all]\nos_prefix=b-\ncmdline=x.txt')).to.equal('b-x.txt');
  });

  it('is another one in a trial boot', () => {
    const config = '[all]\nos_prefix=current/\n[tryboot]\nos_prefix=new/\n';
    expect(pathOf(config)).to.equal('current/cmdline.txt');
    expect(pathOf(config, { isTrial: true })).to.equal('new/cmdline.txt');
  });

  it('follows the files that are included, also those that name each other', () => {
    const more = { 'usercfg.txt': 'cmdline=btcmd.txt\ninclude config.txt\n' };
    expect(pathOf('include usercfg.txt\n', { more })).to.equal('btcmd.txt');
    expect(pathOf('include missing.txt\n')).to.equal('cmdline.txt');
  });

  it('leaves out sections for other boards, displays, serial numbers and nobody', () => {
    for (const filter of [
      'pi3',
      'cm4',
      'pi400',
      'none',
      'EDID=X',
      '0x1234',
      'gpio4=1',
      'board-type=0x14',
    ]) {
      expect(pathOf(`[${filter}]\ncmdline=x.txt\n[all]\n`), filter).to.equal('cmdline.txt');
    }
  });

  it('joins filters of different kinds, and lets those of one kind replace each other', () => {
    expect(pathOf('[pi3]\n[pi4]\ncmdline=x.txt\n')).to.equal('x.txt');
    expect(pathOf('[none]\n[pi4]\ncmdline=x.txt\n')).to.equal('cmdline.txt');
    expect(pathOf('[tryboot]\n[pi4]\ncmdline=x.txt\n')).to.equal('cmdline.txt');
    expect(pathOf('[tryboot]\n[all]\ncmdline=x.txt\n')).to.equal('x.txt');
  });

  const models: Readonly<Record<string, readonly string[]>> = {
    'Raspberry Pi Model B Plus Rev 1.2': ['pi1'],
    'Raspberry Pi 2 Model B Rev 1.1': ['pi2'],
    'Raspberry Pi 3 Model B Rev 1.2': ['pi3'],
    'Raspberry Pi 3 Model B Plus Rev 1.3': ['pi3', 'pi3+'],
    [PI4]: ['pi4'],
    'Raspberry Pi 400 Rev 1.0': ['pi4', 'pi400'],
    'Raspberry Pi Compute Module 4 Rev 1.0': ['pi4', 'cm4'],
    'Raspberry Pi Compute Module 4S Rev 1.0': ['pi4', 'cm4s'],
    'Raspberry Pi 5 Model B Rev 1.0': ['pi5'],
    'Raspberry Pi Zero 2 W Rev 1.0': ['pi0', 'pi0w', 'pi02'],
    'Raspberry Pi Zero W Rev 1.1': ['pi0', 'pi0w'],
  };
  for (const [model, filters] of Object.entries(models)) {
    it(`knows the sections of ${model}`, () => {
      const all = [
        'pi0',
        'pi0w',
        'pi02',
        'pi1',
        'pi2',
        'pi3',
        'pi3+',
        'pi4',
        'pi400',
        'cm4',
        'cm4s',
        'pi5',
      ];
      const seen = all.filter((each) => pathOf(`[${each}]\ncmdline=x\n`, { model }) === 'x');
      expect(seen).to.have.members(filters);
    });
  }
});
