/** Variables that got another name in this release. The next release knows the new names only. */
const OLD_NAMES = { SMS_ADMINS: 'SLACK_ADMIN_IDS', LEASE_MS: 'SMS_ATTEMPT_LEASE_MS' };

type Given = Readonly<Record<string, string>>;

/** The given variables under their new names. If both names of a variable are set, the new one counts. */
export function byNewNames(given: Given): Record<string, string> {
  const renamed: Record<string, string> = {};
  for (const [old, name] of Object.entries(OLD_NAMES)) {
    if (given[old] !== undefined) renamed[name] = given[old];
  }
  return { ...renamed, ...given };
}

/** One sentence for each old name that was given. */
export function oldNameWarnings(given: Given): string[] {
  return Object.entries(OLD_NAMES).flatMap(([old, name]) => {
    if (given[old] === undefined) return [];
    const why =
      given[name] === undefined
        ? 'the old name works until the next release.'
        : `both are set, so ${old} does not count.`;
    return [`${old} is called ${name} now; ${why}`];
  });
}
