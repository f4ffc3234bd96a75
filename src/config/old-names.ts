/** The new names of variables that this release renames, by their old names. The next release knows only the new ones. */
const OLD_NAMES = { SMS_ADMINS: 'SLACK_ADMIN_IDS', LEASE_MS: 'SMS_ATTEMPT_LEASE_MS' };

type Given = Readonly<Record<string, string>>;

/**
 * The given variables under their new names, and a sentence for each old name. If both names of a variable are set, the
 * value of the new name counts.
 */
export function withNewNames(given: Given): { given: Record<string, string>; warnings: string[] } {
  const renamed: Record<string, string> = { ...given };
  const warnings: string[] = [];
  for (const [old, name] of Object.entries(OLD_NAMES)) {
    const value = given[old];
    if (value === undefined) continue;
    const isOldRead = given[name] === undefined;
    if (isOldRead) renamed[name] = value;
    const why = isOldRead
      ? 'the old name works until the next release'
      : `both are set, so ${old} does not count`;
    warnings.push(`${old} is called ${name} now; ${why}.`);
  }
  return { given: renamed, warnings };
}
