import type { DeliveryReport } from '../deliveries/deliveries.ports';

const hashes = 4_294_967_296;

/**
 * Whether a delivery has a log line: each that did not end well at its first attempt, and of the others one in `perLine`. The transaction
 * id chooses it, so every replica and every run chooses the same. `paycode deliveries show` reads the outcome of any delivery from its row.
 */
export function isLogged(report: DeliveryReport, perLine: number): boolean {
  return !isOrdinary(report) || hashOf(report.delivery.transactionId) < hashes / perLine;
}

/** Sent once and answered 200, or there is no webhook to send it to. */
function isOrdinary({ delivery, verdict, outcome }: DeliveryReport): boolean {
  if (delivery.attempt > 1) return false;
  if (outcome === 'HTTP 200') return verdict === 'ACKED_HTTP' || verdict === 'NOT_APPLICABLE';
  return outcome === 'NO WEBHOOK';
}

/** Spreads ids that follow each other (Knuth's multiplicative hash), or each hundredth would be of the same caller. */
function hashOf(transactionId: number): number {
  return Math.imul(transactionId, 2_654_435_761) >>> 0;
}
