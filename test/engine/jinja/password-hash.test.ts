import { setImmediate as tick } from 'node:timers/promises';
import { expect } from 'chai';
import { evaluateInTime } from '../../../src/engine/jinja/slow-work.ts';
import { renderTemplate } from './evaluate.ts';

const LONG = 'd'.repeat(64);

/** As `openssl passwd` makes them. */
const KNOWN: readonly [password: string, hashType: string, salt: string, hash: string][] = [
  [
    'x',
    'sha512',
    'abcdefgh',
    '$6$abcdefgh$D7W7qyozKBT.t6FD3DVYHvADbIO0eSyI4.p20LaEUjro8PqTGYYo/EQcuNjhFbzo9Yg5ir1KIEqFY/yJpgFph0',
  ],
  [
    LONG,
    'sha512',
    'abcdefghijklmnop',
    '$6$abcdefghijklmnop$ST/KYXZxeCvkwTOQB7M8fkmD3JIyiB5bST9Qp9Vfm5J2geBXQMXBbZoueg.5bVBf3RRghpT1wSc73GA44963K.',
  ],
  [
    LONG,
    'sha256',
    'abcdefghijklmnop',
    '$5$abcdefghijklmnop$LPJb6M2FOI8MMHKsyN8FI.cwd/c/Gbp/CpaCFEtcr5A',
  ],
  ['pässwörd', 'sha256', 'ab', '$5$ab$Ha/ZALLFeT0qi7jQxDPdqmjnzO30Q.VB0lprq8FMyr0'],
];

const hashed = (hashType: string, more = '') =>
  `{{ password | password_hash('${hashType}'${more}) }}`;

/** Evaluates in time, and counts how often other work could go on meanwhile. */
async function counted<T>(evaluate: () => T): Promise<{ value: T; turns: number }> {
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns++) await tick();
  })();
  const value = await evaluateInTime(evaluate);
  isDone = true;
  await others;
  return { value, turns };
}

describe('password_hash', () => {
  for (const [password, hashType, salt, hash] of KNOWN) {
    it(`makes the ${hashType} hash of ${password.length} characters`, async () => {
      const template = hashed(hashType, `, '${salt}', rounds=5000`);
      expect(renderTemplate(template, { password })).to.equal(hash);
      expect(await evaluateInTime(() => renderTemplate(template, { password }))).to.equal(hash);
    });
  }

  for (const hashType of ['sha512', 'sha256', 'blowfish']) {
    it(`lets other work go on while it makes a hash of the kind ${hashType}`, async () => {
      const rounds = hashType === 'blowfish' ? 12 : 100_000;
      const template = hashed(hashType, `, rounds=${rounds}`);
      const { value, turns } = await counted(() => renderTemplate(template, { password: 'x' }));
      expect(value).to.match(/^\$\w+\$/);
      expect(turns).to.be.above(2);
    });
  }

  it('makes several in one template, each with a salt of its own', async () => {
    const template = `${hashed('sha512', ', rounds=5000')} ${hashed('sha512', ', rounds=5000')}`;
    const text = await evaluateInTime(() => renderTemplate(template, { password: 'x' }));
    const [first, second] = String(text).split(' ');
    expect(first).to.match(/^\$6\$/);
    expect(second)
      .to.match(/^\$6\$/)
      .and.not.to.equal(first);
  });

  it('comes to an end with a password that is another one at every evaluation', async () => {
    const template = `{{ 1000000 | random | string | password_hash('sha512', 'ab', rounds=5000) }}`;
    expect(await evaluateInTime(() => renderTemplate(template))).to.match(/^\$6\$ab\$/);
  });

  it('fails as ever', async () => {
    const wrong = () => renderTemplate(hashed('sha512', ', rounds=1'), { password: 'x' });
    const failure = await evaluateInTime(wrong).catch((error: Error) => error.message);
    expect(failure).to.include('rounds must be 1000 to 999999999');
  });
});
