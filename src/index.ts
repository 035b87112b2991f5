/** tsprov as a library: run playbooks from a program, write modules for `library/` directories. */
export {
  type PlaybookRun,
  type PlaybookSummary,
  runPlaybook,
} from './cli/run-playbook.ts';
export {
  type Controller,
  type Conversation,
  change,
  type Diff,
  defineConversation,
  defineFront,
  defineModule,
  type Effect,
  type Module,
  type Plan,
  type Reader,
  type Result,
  run,
  type Step,
  type StepOutput,
  TaskError,
  UnknownState,
  type Writer,
  write,
} from './engine/module.ts';
export type { HostStats, ResultInfo, RunEvent, TaskInfo } from './engine/run/events.ts';
export { InvalidInput, type Place, type Problem, Unreachable } from './shared/errors.ts';
export {
  boolean,
  bytes,
  choice,
  dict,
  type Field,
  type Infer,
  integer,
  list,
  number,
  object,
  optional,
  path,
  raw,
  secret,
  string,
} from './shared/schema.ts';
export {
  type Command,
  givenScript,
  innerScript,
  joinCommands,
  plainName,
  quote,
  sh,
} from './shared/shell.ts';
