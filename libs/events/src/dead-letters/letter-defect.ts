import { events } from '@paycode/dto';
import { type Decoded, decodeCloudEvent, headerOf, type RawRecord } from '../record/cloud-event';

export interface LetterContent {
  eventType: string | null;
  eventAt: string | null;
  transactionId: number | null;
  merchantId: number | null;
  /** Defect of the record itself, without its data; null: none. */
  defect: string | null;
}

/** The fields of a record that people may see, and whether this release can read it. */
export function contentOf(topic: string, raw: RawRecord): LetterContent {
  const decoded = decodeCloudEvent(raw);
  const data = decoded.ok ? (decoded.event.data as Record<string, unknown> | null) : null;
  const isObject = typeof data === 'object' && data !== null;
  return {
    eventType: shown(headerOf(raw, 'ce_type'), /^\w{1,64}$/),
    eventAt: shown(headerOf(raw, 'ce_time'), /^\d{4}-\d\d-\d\dT[\d:.]{5,16}Z$/),
    transactionId: (isObject ? idIn(data['transactionId']) : null) ?? idIn(Number(raw.key ?? Number.NaN)),
    merchantId: isObject ? idIn(data['merchantId']) : null,
    defect: defectOf(topic, decoded),
  };
}

function defectOf(topic: string, decoded: Decoded): string | null {
  if (!decoded.ok) return decoded.reason;
  const event = Object.values(events).find(each => each.topic.name === topic);
  if (!event) return null;
  const parsed = event.parse(decoded.event.data);
  if (!parsed.ok) return parsed.reason;
  const named = (parsed.value as Record<string, unknown>)[event.key];
  return decoded.event.key === String(named) ? null : `the record key is not the ${event.key}`;
}

/** Headers are whatever a producer wrote: what does not look as it should is not shown. */
function shown(text: string | undefined, rule: RegExp): string | null {
  return text !== undefined && rule.test(text) ? text : null;
}

function idIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}
