// Prints "N passed, N failed" from the JSON report of vitest. Ends with 1 when anything failed, or when no test ran.
// Plain JavaScript: it also has to run where the installation failed, on whatever Node the machine has.
import { readFileSync } from 'node:fs';

const [path] = process.argv.slice(2);
let report = { success: false, numPassedTests: 0, numFailedTests: 0 };
try {
  report = JSON.parse(readFileSync(path, 'utf8'));
} catch {
  process.stderr.write('There is no report of the tests: they did not run to their end.\n');
}
const { success, numPassedTests, numFailedTests } = report;
process.stdout.write(`${numPassedTests} passed, ${numFailedTests} failed\n`);
process.exitCode = success && numFailedTests === 0 && numPassedTests > 0 ? 0 : 1;
