import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../.ci/audit.mjs');

/** What the build's step says about a report of `npm audit --json`, and its exit code. */
function judge(report: string) {
  const { status, stdout } = spawnSync(process.execPath, [PROGRAM], { input: report, encoding: 'utf8' });
  return { status, stdout };
}

/** A report like npm 11's, by package and severity. */
function reportOf(found: { [name: string]: string }): string {
  const entries = Object.entries(found);
  return JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      entries.map(([name, severity]) => [name, { name, severity, range: '<1.2.3', via: [] }]),
    ),
    metadata: { vulnerabilities: { total: entries.length } },
  });
}

describe('the audit of dependencies in the build', () => {
  it('passes without findings, and with those that are not grave', () => {
    expect(judge(reportOf({})).status).toBe(0);
    expect(judge(reportOf({ a: 'low', b: 'moderate', c: 'info' })).status).toBe(0);
  });

  it.each(['high', 'critical'])('fails on a finding of %s severity, and names it', (severity) => {
    const { status, stdout } = judge(reportOf({ quiet: 'low', leftish: severity }));
    expect(status).toBe(1);
    expect(stdout).toContain(`leftish <1.2.3: ${severity}`);
    expect(stdout).not.toContain('quiet');
  });

  it.each([
    ['the registry has no such endpoint', JSON.stringify({ message: 'Not Allowed', statusCode: 405 })],
    ['there is no answer', ''],
    ['the answer is broken', '<html>'],
  ])('says that nobody could be asked, and goes on: %s', (_when, report) => {
    const { status, stdout } = judge(report);
    expect(status).toBe(0);
    expect(stdout).toMatch(/was not to be asked/);
  });
});
