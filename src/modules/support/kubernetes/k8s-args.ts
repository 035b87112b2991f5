import {
  boolean,
  choice,
  type Infer,
  integer,
  list,
  object,
  optional,
  path,
  raw,
  string,
} from '../../../shared/schema.ts';
import { connectionArgs } from './connection-args.ts';

/** Which kind of objects, and which one of them. */
export const nameArgs = {
  kind: optional(string('Kind, plural, singular or short name of the objects.')),
  api_version: string(
    'Version of the kind, with its group; without a group, every group is searched.',
    { default: 'v1', aliases: ['api', 'version'] },
  ),
  name: optional(string('Name of the object.')),
  namespace: optional(string('Namespace of the objects that name none.')),
};

/** How long to wait for what is wanted of objects. */
export const waitArgs = {
  wait: boolean(
    'Wait until a Deployment, DaemonSet, StatefulSet or Pod is ready, the condition holds, or what was deleted is gone.',
    { default: false },
  ),
  wait_sleep: integer('Most seconds between two looks.', { default: 5, minimum: 1 }),
  wait_timeout: integer('Seconds after which to give up.', { default: 120, minimum: 0 }),
  wait_condition: optional(
    object(
      {
        type: optional(string('Type of the condition, such as `Available`.')),
        status: choice(['True', 'False', 'Unknown'], 'Status that it has to have.', {
          default: 'True',
        }),
        reason: optional(string('Reason that it has to have.')),
      },
      'Condition of the status to wait for instead.',
    ),
  ),
};

const deleteOptions = object(
  {
    propagationPolicy: optional(
      choice(['Foreground', 'Background', 'Orphan'], 'What becomes of objects that it owns.'),
    ),
    gracePeriodSeconds: optional(integer('Seconds to end in.')),
    preconditions: optional(
      object(
        {
          resourceVersion: optional(string('Version that it must have.')),
          uid: optional(string('UID that it must have.')),
        },
        'Delete only this very object.',
      ),
    ),
  },
  'How to delete.',
);

/** Arguments of the module k8s. */
export const k8sArgs = object({
  state: choice(
    ['present', 'absent', 'patched'],
    'Whether objects are to be there; `patched` changes only what is there already.',
    { default: 'present' },
  ),
  resource_definition: optional(
    raw('Objects: YAML of one or several documents, a mapping, or a list of those.', {
      aliases: ['definition', 'inline'],
    }),
  ),
  src: optional(
    path(
      'File of such YAML, or its URL (http, https, ftp). On a host with a connection it is a file of the host, else one of the controller.',
    ),
  ),
  template: optional(
    raw(
      'Template of the controller that gives such YAML (`.hbs` is Handlebars, anything else Jinja): a path, a mapping of `path`, `newline_sequence`, `block_start_string`, `block_end_string`, `variable_start_string`, `variable_end_string`, `trim_blocks`, `lstrip_blocks`, or a list of those.',
    ),
  ),
  ...nameArgs,
  generate_name: optional(string('Beginning of a name that the API server completes.')),
  apply: boolean(
    'Change what differs from what was applied before (the annotation `last-applied-configuration`), and remove what is no longer wanted.',
    { default: false },
  ),
  server_side_apply: optional(
    object(
      {
        field_manager: string('Who owns the fields.'),
        force_conflicts: boolean('Take fields from other managers.', { default: false }),
      },
      'With `apply`: let the API server do it, field by field.',
    ),
  ),
  force: boolean('Replace the whole object.', { default: false }),
  merge_type: optional(
    list(
      choice(['merge', 'strategic-merge'], 'Kind of patch.'),
      'Kinds of patches to try, in order.',
    ),
  ),
  append_hash: boolean('Append a hash of the content to the names of ConfigMaps and Secrets.', {
    default: false,
  }),
  validate: optional(
    object(
      {
        fail_on_error: boolean('Fail where the definition is not valid; else warn.', {
          default: false,
        }),
        strict: boolean('Members that the kind does not have are errors.', { default: true }),
        version: optional(
          string('Version of Kubernetes to check against; only that of the cluster can be had.'),
        ),
      },
      'Check the definition by the fields of its kind.',
    ),
  ),
  delete_options: optional(deleteOptions),
  delete_all: boolean(
    'With `state: absent` and a kind: delete all objects of the namespace (that `label_selectors` match).',
    { default: false, aliases: ['all'] },
  ),
  label_selectors: optional(
    list(string('`key=value`, `key in (a, b)`, `!key`, …'), 'Only objects whose labels match all.'),
  ),
  continue_on_error: boolean('Go on with the next object where one fails.', { default: false }),
  hidden_fields: optional(
    list(string('Such as `metadata.managedFields`.'), 'What to leave out of results.'),
  ),
  ...waitArgs,
  ...connectionArgs,
});

export type K8sArgs = Infer<typeof k8sArgs>;
