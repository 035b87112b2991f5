/** What JUnit reports hold, by the environment variables of Ansible's junit callback. */
export interface JunitOptions {
  readonly directory: string | undefined;
  /** The class of a test case is the file alone, without the line. */
  readonly taskClass: boolean;
  /** Files are named as seen from here. */
  readonly relativePath: string | undefined;
  readonly failsOnChange: boolean;
  readonly failsOnIgnore: boolean;
  readonly includeSetup: boolean;
  readonly hidesArguments: boolean;
  /** Only tasks whose name begins so count. */
  readonly casePrefix: string;
}

export function junitOptions(environment: NodeJS.ProcessEnv): JunitOptions {
  const flag = (name: string, otherwise = false) => {
    const value = environment[name];
    return value === undefined ? otherwise : /^(true|yes|on|y|t|1)$/i.test(value);
  };
  const text = (name: string) => (environment[name] === '' ? undefined : environment[name]);
  return {
    directory: text('JUNIT_OUTPUT_DIR'),
    taskClass: flag('JUNIT_TASK_CLASS'),
    relativePath: text('JUNIT_TASK_RELATIVE_PATH'),
    failsOnChange: flag('JUNIT_FAIL_ON_CHANGE'),
    failsOnIgnore: flag('JUNIT_FAIL_ON_IGNORE'),
    includeSetup: flag(
      'JUNIT_INCLUDE_SETUP_TASKS_IN_REPORT',
      flag('JUNIT_INCLUDE_SETUP_TASKS', true),
    ),
    hidesArguments: flag('JUNIT_HIDE_TASK_ARGUMENTS'),
    casePrefix: text('JUNIT_TEST_CASE_PREFIX') ?? '',
  };
}
