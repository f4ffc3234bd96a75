import { readFileSync } from 'node:fs';

/** The memory that a process holds at the moment (RSS), in MB, as Linux counts it. */
export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
