/** Arguments of a case with one of their texts replaced. */

export interface HostileArgs {
  /** `paths[0]`, `owner`. */
  readonly place: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The text that stood there; undefined for an argument that was not given. */
  readonly original: string | undefined;
}

/** The arguments once for each text in them, and once for each name that is not given. */
export function hostileArgs(
  args: Readonly<Record<string, unknown>>,
  names: readonly string[],
  hostile: string,
): readonly HostileArgs[] {
  const given = names
    .filter((name) => Object.hasOwn(args, name))
    .flatMap((name) =>
      replaced(args[name], hostile).map(({ place, value, original }) => {
        return { place: name + place, args: { ...args, [name]: value }, original };
      }),
    );
  const added = names
    .filter((name) => !Object.hasOwn(args, name))
    .map((name) => ({ place: name, args: { ...args, [name]: hostile }, original: undefined }));
  return [...given, ...added];
}

interface Replaced {
  readonly place: string;
  readonly value: unknown;
  readonly original: string;
}

function replaced(value: unknown, hostile: string): readonly Replaced[] {
  if (typeof value === 'string') return [{ place: '', value: hostile, original: value }];
  if (Array.isArray(value)) {
    return value.flatMap((each, i) =>
      replaced(each, hostile).map((one) => {
        return { ...one, place: `[${i}]${one.place}`, value: value.with(i, one.value) };
      }),
    );
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    replaced(each, hostile).map((one) => {
      return { ...one, place: `.${key}${one.place}`, value: { ...value, [key]: one.value } };
    }),
  );
}
