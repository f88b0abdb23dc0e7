/** Attributes the samples of a CPU profile to the stages of a payment. */
import type { CallFrame, CpuProfile } from './cpu-profile.ts';
import { type Stage, stageOfStack } from './waterfall-stages.ts';

/** Parts of what was attributed. */
export type Shares<Name extends string = Stage | typeof unknown> = Map<Name, number>;

export const unknown = 'not attributed';

type Node = CpuProfile['nodes'][number];

/** The process waited; nobody ran. */
const resting = new Set(['(idle)']);
const ofRuntime: Readonly<Record<string, Stage>> = {
  '(garbage collector)': 'garbage collection',
  // Native code without JavaScript around it: the event loop, reads of sockets.
  '(program)': 'event loop, sockets',
};

/** Microseconds by stage, without those at rest. `sourceOf` names the file of a function. */
export function timesByStage(profile: CpuProfile, sourceOf: (frame: CallFrame) => string): Shares {
  const stageOf = stagesOf(profile, sourceOf);
  const times: Shares = new Map();
  profile.samples.forEach((id, at) => {
    const stage = stageOf.get(id);
    if (stage) times.set(stage, (times.get(stage) ?? 0) + (profile.timeDeltas[at] ?? 0));
  });
  return times;
}

/** Functions, with the stack above them, of the time that no rule attributed; most expensive first. */
export function unknownStacks(profile: CpuProfile, sourceOf: (frame: CallFrame) => string, count: number): string[] {
  const stageOf = stagesOf(profile, sourceOf);
  const parents = parentsOf(profile);
  const nodes = new Map(profile.nodes.map(node => [node.id, node]));
  const times = new Map<string, number>();
  profile.samples.forEach((id, at) => {
    if (stageOf.get(id) !== unknown) return;
    const stack = framesOf(nodes.get(id)!, parents, sourceOf).filter(frame => frame !== ':(root)');
    const key = stack.slice(0, 4).join(' < ');
    times.set(key, (times.get(key) ?? 0) + (profile.timeDeltas[at] ?? 0));
  });
  return [...times]
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, count)
    .map(([stack]) => stack);
}

function stagesOf(profile: CpuProfile, sourceOf: (frame: CallFrame) => string): Map<number, Stage | typeof unknown | undefined> {
  const parents = parentsOf(profile);
  return new Map(
    profile.nodes.map(node => {
      const { functionName } = node.callFrame;
      if (resting.has(functionName)) return [node.id, undefined];
      const stage = ofRuntime[functionName] ?? stageOfStack(framesOf(node, parents, sourceOf));
      return [node.id, stage ?? unknown];
    }),
  );
}

function parentsOf({ nodes }: CpuProfile): Map<number, Node> {
  return new Map(nodes.flatMap(node => (node.children ?? []).map(child => [child, node] as const)));
}

function framesOf(node: Node, parents: ReadonlyMap<number, Node>, sourceOf: (frame: CallFrame) => string): string[] {
  const frames: string[] = [];
  for (let at: Node | undefined = node; at; at = parents.get(at.id))
    frames.push(`${sourceOf(at.callFrame)}:${at.callFrame.functionName}`);
  return frames;
}
