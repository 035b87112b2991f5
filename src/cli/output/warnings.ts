/** Shows a warning beside an output that is not for eyes. */
export function warningsToStderr(text: string): void {
  process.stderr.write(`[WARNING]: ${text}\n`);
}
