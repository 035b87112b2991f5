/** The Dockerfile, where what it says must be what other files say. That it builds is proved with pods that run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from './support/source-files.ts';

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const manifest = JSON.parse(read('package.json')) as { version: string; files: readonly string[] }; // npm's format.
const dockerfile = read('Dockerfile');

describe('the Dockerfile', () => {
  it('says the version of the package', () => {
    expect(dockerfile).to.include(`\nARG VERSION=${manifest.version}\n`);
  });

  it('takes the same image with Node.js as the role that builds it', () => {
    const defaults = read('playbooks/roles/scaler_image/defaults/main.yml');
    const [, image = ''] = /^scaler_node_image: (.*)$/m.exec(defaults) ?? [];
    expect(dockerfile).to.include(`\nARG NODE_IMAGE=${image}\n`);
  });

  it('runs as nobody in particular, by number, and without a shell', () => {
    expect(dockerfile).to.match(/^USER 65532:65532$/m);
    expect(dockerfile).to.match(/^ENTRYPOINT \["\/usr\/local\/bin\/node", /m);
    expect(dockerfile.split(/^FROM /m).at(-1))
      .to.match(/^scratch\n/)
      .and.not.to.match(/^RUN /m);
  });

  it('copies only what the package has, and what its builder is given', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, files = '']) =>
      files.split(' '),
    );
    expect(copied).to.include('dist/scaler');
    // npm packs these two whatever is said.
    const packed = ['LICENSE', 'package.json', ...manifest.files];
    for (const file of copied) {
      expect(
        packed.some((each) => `${file}/`.startsWith(`${each}/`)),
        file,
      ).to.equal(true);
      expect(read('.dockerignore').split('\n')).to.include(`!${file}`);
    }
    expect(packed).to.include('Dockerfile');
  });
});
