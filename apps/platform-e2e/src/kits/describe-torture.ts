import { writeFileSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@paycode/service-runtime/testing';
import { torture, tortures } from '../../../../kits/vectors/torture';
import { KitProcess, type KitProcessOptions, notification, sealed } from './kit-process';
import type { KitUnderTest } from './receiver-kit';

const ceilingMs = 60_000;
const atOnce = 50;
/** Long enough that the server has taken all requests, on a slow machine too. */
const answerWithinMs = 3_000;

interface Posted {
  answer: string;
  /** The connection had served before. */
  isReused: boolean;
}

function posted(url: string, body: string, agent: Agent): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method: 'POST', agent, headers: { 'Content-Type': 'text/plain' } }, answer => {
      let text = '';
      answer.setEncoding('latin1').on('data', (data: string) => (text += data));
      answer.once('end', () => resolve({ answer: `${answer.statusCode} ${text.trim()}`, isReused: outgoing.reusedSocket }));
    });
    outgoing.once('error', reject).end(body);
  });
}

/** A server of a kit among clients that anybody may be, and under load (T-22). */
export function describeTorture(underTest: KitUnderTest, adapter: string): void {
  const { kit, program, folder } = underTest;
  const held = () => notification({ amount: 25.5, reference: 'hold-1' });
  const running: { stop(): unknown }[] = [];
  const start = async (options: Partial<KitProcessOptions> = {}): Promise<KitProcess> => {
    const receiver = await KitProcess.start({ program: program(), folder: folder(), adapter, ...options });
    running.push(receiver);
    return receiver;
  };
  const keptConnection = (): Agent => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    running.push({ stop: () => agent.destroy() });
    return agent;
  };
  afterAll(() => Promise.all(running.map(each => each.stop())));

  // A process that does one request at a time leaves the others to the server, which does not say when they came.
  if (kit.canWorkOn !== false) describeArrival(underTest, adapter);

  describe('torture', () => {
    let receiver: KitProcess;
    beforeAll(async () => {
      receiver = await start();
    });

    it.each(tortures)('after $what, good notifications on a kept and on a new connection are kept (T-22)', async tried => {
      const key = receiver.addKey();
      const good = () => sealed(notification().text, key);
      const agent = keptConnection();
      const onKept = () => posted(receiver.url, good(), agent);
      const goodOnes = async () => {
        expect(await receiver.post(good())).toBe('200 HANDLED');
        expect(await onKept()).toEqual({ answer: '200 HANDLED', isReused: wasKept });
      };
      await onKept();
      const wasKept = (await onKept()).isReused;
      // A server that hands on whole bodies only waits for the rest.
      const isRead = kit.readsWhole === true && /^(too-long|endless)$/.test(tried.id);
      const target = { url: new URL(receiver.url), withinMs: isRead ? answerWithinMs : ceilingMs };
      expect(await torture(target, tried, { good: good(), whileOpen: goodOnes })).toMatch(
        isRead ? /^(SILENCE|413)$/ : tried.answer,
      );
      await goodOnes();
      agent.destroy();
    });
  });

  it('work after the answer holds neither its connection nor the next answer', async () => {
    const receiver = await start({ when: 'AFTER' });
    const key = receiver.addKey();
    const agent = keptConnection();
    const notifications = [held(), held(), held()];
    writeFileSync(receiver.file('hold'), '');
    for (const { text } of notifications)
      expect((await posted(receiver.url, sealed(text, key), agent)).answer).toBe('200 ACCEPTED');
    expect(receiver.said('handled ')).toEqual([]);
    receiver.letGo();
    await eventually(() => expect(receiver.said('handled ')).toHaveLength(notifications.length));
  });
}

/** 50 notifications at once. The handlers that wait are let go when each request is older than its time. */
export function describeArrival({ kit, program, folder }: KitUnderTest, adapter: string): void {
  it.each(kit.canBlockAll ? ['hold-1', 'block-1'] : ['hold-1'])(
    'the time of an answer counts from the arrival of the request: of 50 at once none is answered with 200 after it, %s (R-2.6-1)',
    async reference => {
      const receiver = await KitProcess.start({ program: program(), folder: folder(), adapter, answerWithinMs });
      const key = receiver.addKey();
      writeFileSync(receiver.file('hold'), '');
      const bodies = Array.from({ length: atOnce }, () => sealed(notification({ amount: 25.5, reference }).text, key));
      const answers = Promise.all(bodies.map(body => receiver.post(body)));
      await pause(2 * answerWithinMs);
      receiver.letGo();
      expect((await answers).filter(answer => !answer.startsWith('503 '))).toEqual([]);
      await receiver.stop();
    },
  );
}
