import { expect } from 'chai';
import { parsePolicy } from '../../../src/modules/support/apt/facts.ts';
import { parseActions, parseDiff } from '../../../src/modules/support/apt/output.ts';
import { allowsVersion, parseAptSpec } from '../../../src/modules/support/apt/spec.ts';
import { compareVersions } from '../../../src/modules/support/apt/version.ts';

/** In the order of `dpkg --compare-versions`. */
const ORDERED = [
  ...['0', '1.0~rc1', '1.0', '1.0-1~bpo11+1', '1.0-1', '1.0-1ubuntu1', '1.0-1.1', '1.0a', '1.0+b1'],
  ...['1.9', '1.10', '2~~', '2~', '2', '7.88.1-10+deb12u8', '7.88.1-10+deb12u12', '1:0.5'],
];

describe('versions of Debian packages', () => {
  it('are in the order that dpkg gives them', () => {
    expect([...ORDERED].reverse().sort(compareVersions)).to.deep.equal(ORDERED);
    expect(compareVersions('1.0', '1.0-0')).to.equal(0);
    expect(compareVersions('1.00', '1.0')).to.equal(0);
  });
});

describe('package specifiers', () => {
  it('have a name, an architecture and a version', () => {
    expect(parseAptSpec('libc6:arm64>=2.36')).to.deep.include({
      name: 'libc6',
      arch: 'arm64',
      operator: '>=',
      version: '2.36',
      isGlob: false,
    });
    expect(parseAptSpec('g++=4:12.*')).to.deep.include({ name: 'g++', version: '4:12.*' });
    expect(parseAptSpec('lib*-dev')).to.deep.include({ name: 'lib*-dev', isGlob: true });
    for (const bad of ['', 'foo bar', 'foo=', 'foo<1'])
      expect(parseAptSpec(bad), bad).to.equal(undefined);
  });

  it('allow the versions that a glob or a bound allows', () => {
    const allowed = (spec: string, version: string) => {
      const parsed = parseAptSpec(spec);
      return parsed !== undefined && allowsVersion(parsed, version);
    };
    expect(allowed('a=1.6*', '1.6.20~ds1')).to.equal(true);
    expect(allowed('a=1.6*', '1.7')).to.equal(false);
    expect(allowed('a>=1.6', '1.6~rc1')).to.equal(false);
  });
});

describe('the output of apt', () => {
  const OUTPUT = `NOTE: This is only a simulation!
Reading state information...
The following packages will be upgraded:
  libc6
1 upgraded, 1 newly installed, 2 to remove and 0 not upgraded.
Remv old [1.0]
Purg older [0.9]
Inst libc6 [2.36-9] (2.36-10 Debian:12.1/stable [amd64]) []
Inst libx:i386 (1.0 Debian:12.1/stable [i386])
Conf libc6 (2.36-10 Debian:12.1/stable [amd64])
Conf broken (1.0 Debian:12.1/stable [amd64])
`;

  it('tells what is installed, removed and configured', () => {
    expect(parseActions(OUTPUT)).to.deep.equal([
      { kind: 'remove', name: 'old' },
      { kind: 'remove', name: 'older' },
      { kind: 'install', name: 'libc6', version: '2.36-10' },
      { kind: 'install', name: 'libx:i386', version: '1.0' },
      { kind: 'configure', name: 'broken', version: '1.0' },
    ]);
    expect(parseActions('Del sl 5.02-1 [9,876 B]\n')).to.deep.equal([
      { kind: 'delete', name: 'sl' },
    ]);
  });

  it('holds the summary that a diff shows', () => {
    expect(parseDiff(OUTPUT)).to.equal(
      'The following packages will be upgraded:\n  libc6\n1 upgraded, 1 newly installed, 2 to remove and 0 not upgraded.',
    );
    expect(parseDiff('')).to.equal('');
  });

  it('lists the versions of packages, pinned and phased ones too', () => {
    const text = `sl:
  Installed: 4.0
  Candidate: 5.0
  Version table:
     5.0 -1 (phased 10%)
        500 http://deb.example/debian bookworm/main amd64 Packages
 *** 4.0 100
        100 /var/lib/dpkg/status
awk:
  Installed: (none)
  Candidate: (none)
  Version table:
`;
    expect(parsePolicy(text)).to.deep.equal([
      { name: 'sl', candidate: '5.0', versions: ['5.0', '4.0'] },
      { name: 'awk', versions: [] },
    ]);
  });
});
