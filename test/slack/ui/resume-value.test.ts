import { expect, test } from 'vitest';
import { readResumeValue, resumeValue } from '../../../src/slack/ui/lists/resume-value.ts';
import { aJob } from './bulk-samples.ts';

test('a button that lets a list go on remembers its pause, what it approves, and what its message warns of', () => {
  for (const [mayLackRequests, restored, seenRestored] of [
    ['r2 17', true, 'r2 17'],
    [undefined, true, 'true'],
    ['r2 17', undefined, 'false'],
  ] as const) {
    const how = {
      seenServedAt: 1_764_000_000_000,
      approvedUpTo: 660,
      oneByOne: true,
      seenRestored,
    };
    const { details, ...job } = aJob({ ...(mayLackRequests && { mayLackRequests }) });
    const shown = {
      ...job,
      servedAt: how.seenServedAt,
      details: { ...details, ...(restored && { restored }) },
    };
    expect(readResumeValue(resumeValue(shown, how))).toEqual({ id: job.id, ...how });
  }
});

test('a button of an older version, or a forged one, names the list alone', () => {
  const nothing = {
    seenServedAt: undefined,
    approvedUpTo: undefined,
    oneByOne: false,
    seenRestored: undefined,
  };
  expect(readResumeValue('job-1')).toEqual({ id: 'job-1', ...nothing });
  expect(readResumeValue('job-1/x/-5/yes')).toEqual({ id: 'job-1', ...nothing });
});
