import { fileAttributes } from '../../../engine/module.ts';
import { withoutLogin } from '../../../shared/conceal.ts';
import {
  boolean,
  type Infer,
  integer,
  list,
  object,
  optional,
  path,
  string,
} from '../../../shared/schema.ts';

const { mode, owner, group, seuser, serole, setype, selevel, attributes, unsafe_writes } =
  fileAttributes;

/** Arguments of the unarchive module. */
export const unarchiveArgs = object({
  src: withoutLogin(
    string('Archive: of the playbook or role, or with `remote_src` on the host, or a URL.'),
  ),
  dest: path('Directory on the host into which it is unpacked. It has to be there.'),
  remote_src: boolean('The archive is on the host already, or is a URL that the host fetches.', {
    default: false,
  }),
  copy: boolean('The opposite of `remote_src`, in the words of old playbooks.', { default: true }),
  creates: optional(
    path('Path that exists once the archive has been unpacked: then nothing is done.'),
  ),
  list_files: boolean('Return the names of what is in the archive.', { default: false }),
  include: list(string('Name; in zip archives a glob.'), 'Unpack only these.', { default: [] }),
  exclude: list(string('Glob.'), 'Do not unpack these.', { default: [] }),
  keep_newer: boolean('Leave files that are newer than those of the archive.', { default: false }),
  extra_opts: list(string('Option.'), 'More options for tar or unzip, one by one.', {
    default: [],
  }),
  decrypt: boolean('Decrypt an archive that is encrypted with vault.', { default: true }),
  validate_certs: boolean('Refuse a server whose certificate is not valid.', { default: true }),
  io_buffer_size: integer('Has no effect: buffers have the size that suits them.', {
    default: 65536,
  }),
  ...{ mode, owner, group, seuser, serole, setype, selevel, attributes, unsafe_writes },
});

export type UnarchiveArgs = Infer<typeof unarchiveArgs>;

/** Whether the archive is to be found on the host, or by it. */
export function isRemote({ remote_src, copy }: UnarchiveArgs): boolean {
  return remote_src || !copy;
}
