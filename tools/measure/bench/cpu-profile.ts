/** Reads what `node --cpu-prof` wrote. */

/** A function; its place is counted from 0. */
export interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber?: number;
}

/** The parts of a .cpuprofile that are used here. */
export interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

export interface Frame {
  name: string;
  /** Share of the time in which the process did something. */
  share: number;
}

const resting = new Set(['(idle)', '(root)']);

/** Functions by their own time, most expensive first. */
export function topFrames(profile: CpuProfile, count: number): Frame[] {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  let totalUs = 0;
  profile.samples.forEach((id, at) => {
    const name = names.get(id) ?? 'unknown';
    const spentUs = profile.timeDeltas[at] ?? 0;
    if (resting.has(name)) return;
    times.set(name, (times.get(name) ?? 0) + spentUs);
    totalUs += spentUs;
  });
  const sorted = [...times].sort(([, left], [, right]) => right - left);
  return sorted.slice(0, count).map(([name, spentUs]) => ({ name, share: spentUs / totalUs }));
}

function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const file = url.split('/').slice(-2).join('/');
  const name = functionName || 'anonymous';
  return file ? `${name} (${file}:${lineNumber + 1})` : name;
}
