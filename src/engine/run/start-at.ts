import picomatch from 'picomatch';

/** Whether a name matches a shell pattern, as --start-at-task uses it: `*` stands for anything, `/` included. */
export function matchesGlob(name: string, pattern: string): boolean {
  return (
    picomatch.isMatch(name, pattern, { bash: true, dot: true, nobrace: true, noextglob: true }) ||
    name === pattern
  );
}
