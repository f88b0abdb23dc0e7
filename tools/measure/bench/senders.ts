/** Webhook senders of others that take part where their programs are at hand. */
import type { CalledProcess } from './child-calls.ts';
import type { Circumstances } from './contender.ts';
import { findOutpost } from './outpost-programs.ts';
import { OutpostUnderTest } from './outpost-under-test.ts';
import type { SenderUnderTest } from './sender-under-test.ts';
import { findSvix } from './svix-programs.ts';
import { SvixUnderTest } from './svix-under-test.ts';

type StartSender = (receiver: CalledProcess, around: Circumstances) => Promise<SenderUnderTest>;

/** Of the folders with their builds. @throws naming each program that is missing, before anything starts */
export function chosenSenders({ outpost, svix }: { outpost?: string; svix?: string }): StartSender[] {
  const starts: StartSender[] = [];
  if (outpost !== undefined) {
    const found = findOutpost(outpost);
    starts.push((receiver, around) => OutpostUnderTest.start(receiver, found, around));
  }
  if (svix !== undefined) {
    const found = findSvix(svix);
    starts.push((receiver, around) => SvixUnderTest.start(receiver, found, around));
  }
  return starts;
}
