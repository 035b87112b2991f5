/** Passwords of users and how they age, as shadow(5) has them or as earlier tasks of a check run would have left them. */
import { createHash } from 'node:crypto';
import type { UserState } from '../../engine/module.ts';
import type { UserArgs } from './user-args.ts';

export const SECONDS_PER_DAY = 86_400;

/** The ageing of a password; undefined is unlimited. Days, `expires` since 1970. */
export interface Ageing {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly warn: number | undefined;
  readonly inactive: number | undefined;
  readonly expires: number | undefined;
}

/** What is known of a password without the password. */
export interface PasswordState {
  /** Whether the password is the one that is asked for. */
  readonly hasPassword: boolean;
  readonly isLocked: boolean;
  /** Whether there is a password that could be unlocked. */
  readonly isUnlockable: boolean;
  readonly ageing: Ageing;
  /** Whether there is a line in shadow that could hold an ageing. */
  readonly hasShadow: boolean;
}

/** What the fields of a line in shadow say, unless an earlier task of a check run would have changed it. */
export function passwordState(
  fields: readonly string[] | undefined,
  password: string | undefined,
  user: UserState | null,
): PasswordState {
  const now = parseShadow(fields, password);
  if (user?.shadow === undefined) return now;
  const { digest, ...foreseen } = user.shadow;
  const isAsked = password !== undefined && digest === digestOf(password);
  return { ...now, ...foreseen, ...(digest !== undefined && { hasPassword: isAsked }) };
}

function parseShadow(
  fields: readonly string[] | undefined,
  password: string | undefined,
): PasswordState {
  const [, hash = '', , min, max, warn, inactive, expires] = fields ?? [];
  return {
    hasPassword: password !== undefined && fields !== undefined && bare(hash) === bare(password),
    isLocked: hash.startsWith('!'),
    isUnlockable: bare(hash) !== '',
    hasShadow: fields !== undefined,
    ageing: {
      min: days(min),
      max: days(max),
      warn: days(warn),
      inactive: days(inactive),
      expires: days(expires),
    },
  };
}

function days(field: string | undefined): number | undefined {
  return field === undefined || field === '' || Number(field) < 0 ? undefined : Number(field);
}

function bare(hash: string): string {
  return hash.replace(/^!+/, '');
}

/** Tells a password from another without holding it. */
function digestOf(password: string): string {
  return createHash('sha256').update(bare(password)).digest('base64');
}

/** What a task would leave in shadow, for the tasks after it in a check run. */
export function shadowAfter(
  now: PasswordState & { readonly user: UserState | null },
  args: UserArgs,
): NonNullable<UserState['shadow']> {
  const { password, password_lock: lock, update_password: when } = args;
  const isNew = now.user === null;
  const isSet = password !== undefined && (isNew || (when === 'always' && !now.hasPassword));
  const isUnlockable = isSet ? bare(password) !== '' : !isNew && now.isUnlockable;
  const isLocked = isSet
    ? lock === true || password.startsWith('!')
    : isNew || lockedAfter(now, lock);
  const digest = isSet ? digestOf(password) : now.user?.shadow?.digest;
  return {
    ...(digest !== undefined && { digest }),
    ...{ isLocked, isUnlockable, hasShadow: true, ageing: ageingAfter(now, args) },
  };
}

function lockedAfter(
  { isLocked, isUnlockable }: PasswordState,
  lock: boolean | undefined,
): boolean {
  return lock === true || (isLocked && (lock === undefined || !isUnlockable));
}

function ageingAfter({ ageing }: PasswordState, args: UserArgs): Ageing {
  const { expires } = args;
  const day = expires === undefined ? ageing.expires : dayOf(expires);
  return {
    min: args.password_expire_min ?? ageing.min,
    max: args.password_expire_max ?? ageing.max,
    warn: args.password_expire_warn ?? ageing.warn,
    inactive: args.password_expire_account_disable ?? ageing.inactive,
    expires: day === 'never' ? undefined : day,
  };
}

/** The day of a moment in seconds since 1970. */
export function dayOf(seconds: number): number | 'never' {
  return seconds < 0 ? 'never' : Math.floor(seconds / SECONDS_PER_DAY);
}
