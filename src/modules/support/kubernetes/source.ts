import { type Reader, TaskError } from '../../../engine/module.ts';
import { sh } from '../../../shared/shell.ts';
import type { ClusterHost } from './cluster-host.ts';
import type { SourceText } from './templates.ts';

/** What `src` names: a file of the host of the task, or a URL that is fetched from there. Throws TaskError. */
export async function readSource(
  reader: Reader,
  host: ClusterHost,
  src: string,
): Promise<SourceText> {
  if (/^(https?|ftp):\/\//.test(src))
    return { text: await fetched(reader, host, src), origin: src };
  const file = await host.locate(src);
  const text = await host.findText(file);
  if (text !== undefined) return { text, origin: file };
  throw new TaskError(`there is no file ${file} on ${host.name}`, {
    hint:
      host.name === 'this machine'
        ? 'correct src'
        : 'src is a file of the host; for one of the controller use template, or lookup("file", …) as definition',
  });
}

async function fetched(reader: Reader, { name }: ClusterHost, url: string): Promise<string> {
  const { code, stdout, stderr } = await reader.read(
    sh`if command -v curl >/dev/null; then curl -fsSL --connect-timeout 10 ${url}; else wget -qO- ${url}; fi`,
  );
  if (code === 0) return stdout;
  const hint =
    code === 127 ? `install curl or wget on ${name}` : `can ${name} reach it? is the URL right?`;
  throw new TaskError(`${url} cannot be fetched: ${stderr.trim()}`, { hint });
}
