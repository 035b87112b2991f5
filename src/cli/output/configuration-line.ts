/** Tells which configuration file counts, in the words of Ansible. */
export function configurationLine(file: string | undefined): string {
  return file === undefined
    ? 'No config file found; using defaults'
    : `Using ${file} as config file`;
}
