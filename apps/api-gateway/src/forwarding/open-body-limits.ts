export interface OpenBodyLimits {
  /** Most open bodies in all, and most bytes of them in memory. */
  bodiesMax: number;
  bytesMax: number;
  /** The same for one address; for one /64 in IPv6. */
  addressBodiesMax: number;
  addressBytesMax: number;
  /** Above 0: a new body is not compared with the others for this time, because its first bytes may still be on the way. */
  settleMs: number;
  /** An older body must have come at `bytesPerSMin` or more, on the average since it began. */
  graceMs: number;
  bytesPerSMin: number;
}

/**
 * - Bodies: 128 of one address are a quarter of a second of its highest rate (ADDRESS_RATE_PER_S), so that it takes eight addresses to fill
 *   all places. Most bodies come in the same packet as their header.
 * - Bytes: room for 256 bodies of the largest size in all and 64 of one address, which are 64 and 16 MiB.
 * - Settling takes longer than one lost packet, which is sent again after less than a second.
 * - The lowest rate and its grace are those of other servers (Kestrel: 240 bytes/s after 5 s; Apache: 500 bytes/s).
 */
export function openBodyLimitsOf(bodyBytesMax: number): OpenBodyLimits {
  return {
    bodiesMax: 1_024,
    bytesMax: 256 * bodyBytesMax,
    addressBodiesMax: 128,
    addressBytesMax: 64 * bodyBytesMax,
    settleMs: 1_000,
    graceMs: 5_000,
    bytesPerSMin: 500,
  };
}
