/** Arguments of the modules that edit a text file in place. */
import { fileAttributes } from '../../engine/module.ts';
import { boolean, optional, path, string } from '../../shared/schema.ts';

export const editedPath = path('File to edit; a link is followed.', {
  aliases: ['dest', 'destfile', 'name'],
});

export const editArgs = {
  insertafter: optional(
    string('`EOF`, or a pattern: what is new goes after the last line that matches it.'),
  ),
  insertbefore: optional(
    string('`BOF`, or a pattern: what is new goes before the last line that matches it.'),
  ),
  create: boolean('Make the file, and the directories above it, where it is missing.', {
    default: false,
  }),
  backup: boolean('Keep the old file beside the new one, with the time in its name.', {
    default: false,
  }),
  validate: optional(
    string(
      'Command that judges the new file before it takes the place of the old; `%s` is its path.',
    ),
  ),
  ...fileAttributes,
};
