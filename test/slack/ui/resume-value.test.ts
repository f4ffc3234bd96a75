import { expect, test } from 'vitest';
import { readResumeValue, resumeValue } from '../../../src/slack/ui/lists/resume-value.ts';

test('a button that lets a list go on remembers its pause, what it approves, and what its message warns of', () => {
  for (const restored of [true, false]) {
    const how = {
      seenServedAt: 1_764_000_000_000,
      approvedUpTo: 660,
      oneByOne: true,
      seenRestored: restored,
    };
    const job = { id: 'job-1', servedAt: how.seenServedAt, details: restored ? { restored } : {} };
    expect(readResumeValue(resumeValue(job, how))).toEqual({ id: 'job-1', how });
  }
});

test('a button of an older version, or a forged one, names the list alone', () => {
  const nothing = {
    seenServedAt: undefined,
    approvedUpTo: undefined,
    oneByOne: false,
    seenRestored: false,
  };
  expect(readResumeValue('job-1')).toEqual({ id: 'job-1', how: nothing });
  expect(readResumeValue('job-1/x/-5/yes')).toEqual({ id: 'job-1', how: nothing });
});
