// Reads the report of `npm audit --json` and ends with 1 where it names a vulnerability of high or critical severity.
// A registry that can't be asked proves nothing: that is said, and the build goes on.
import { readFileSync } from 'node:fs';

let report = {};
try {
  report = JSON.parse(readFileSync(0, 'utf8'));
} catch {
  // No report, as after a time-out.
}
const { vulnerabilities, metadata } = report;
const counts = metadata?.vulnerabilities;
if (!counts) {
  process.stdout.write(`npm audit: the registry was not to be asked (${report.statusCode ?? 'no answer'})\n`);
} else {
  const grave = Object.values(vulnerabilities).filter(({ severity }) => /high|critical/.test(severity));
  for (const { name, severity, range } of grave) {
    process.stdout.write(`npm audit: ${name} ${range}: ${severity}\n`);
  }
  process.stdout.write(`npm audit: ${counts.total} found, ${grave.length} of them high or critical\n`);
  process.exitCode = grave.length > 0 ? 1 : 0;
}
