import { nonceBytes, tagBytes } from '../../webhook/envelope';
import { newLargeId, type Sample, widened, withUnknownFields } from '../../webhook/notification-maker';
import { type Check, fail, type Finding, isAccepted, mustBeAccepted, outcomeOf, pass, sentence, type Subject } from '../check';

const section = 'Good notifications';
const bodyChars = 65_536;

const goodBody: Check = {
  id: 'good-body',
  title: 'a paid purchase is acknowledged',
  section,
  stopsWith: 'The receiver accepts no good body: what it does with others tells nothing.',
  run: async subject => {
    const notification = subject.maker.success();
    subject.first = notification;
    return mustBeAccepted(
      await subject.deliver(notification),
      'Does the receiver have this key, and does it read the raw body (base64 text, not JSON)?',
    );
  },
};

/** One check per golden sample. */
export function sampleChecks(samples: readonly Sample[]): Check[] {
  return samples.map(sample => ({
    id: `sample-${sample.name}`,
    title: `golden sample ${sample.name}`,
    section,
    run: async ({ deliver, maker }) =>
      mustBeAccepted(
        await deliver(maker.ofSample(sample)),
        'The platform sends notifications of this form: fields may be null or absent.',
      ),
  }));
}

/** A payment that is reversed, and its neighbour by id that is paid: one that loses digits takes them for the same. */
async function largeIds({ maker, deliver }: Subject): Promise<Finding> {
  const id = newLargeId();
  const reversed = await deliver(maker.reversed(id));
  if (!isAccepted(reversed)) return fail(`${sentence(outcomeOf(reversed))} Ids go up to 2^53-1: a 32-bit integer is too small.`);
  const neighbour = await deliver(maker.success(id - 1));
  if (isAccepted(neighbour)) return pass('two ids near 2^53-1, which differ by 1, are told apart');
  return fail(
    `${sentence(outcomeOf(neighbour))} Payment ${id} was reversed, not ${id - 1}: ids lose digits (float, double as text).`,
  );
}

async function unknownFields({ maker, deliver }: Subject): Promise<Finding> {
  const { transactionId, text } = maker.success();
  const exchange = await deliver({ transactionId, text: withUnknownFields(text) });
  return mustBeAccepted(exchange, 'Fields may be added without notice: ignore those that you do not know.');
}

async function largeBody({ maker, deliver }: Subject): Promise<Finding> {
  const { transactionId, text } = maker.success();
  const wide = widened(text, { chars: bodyChars, overheadBytes: nonceBytes + tagBytes });
  const exchange = await deliver({ transactionId, text: wide });
  return mustBeAccepted(exchange, 'A notification may have up to 64 KiB: raise the limit of your server or proxy.');
}

export function acceptanceChecks(samples: readonly Sample[]): Check[] {
  return [
    goodBody,
    ...sampleChecks(samples),
    { id: 'large-ids', title: 'large ids keep their digits', section, run: largeIds },
    { id: 'unknown-fields', title: 'unknown fields are ignored', section, run: unknownFields },
    { id: 'large-body', title: 'a body of 64 KiB is accepted', section, run: largeBody },
  ];
}
