import type { OutboundPolicy } from '@paycode/safe-http';
import type { DispatcherSettings } from './assemble-dispatcher';

export interface DispatcherOptions extends Pick<
  DispatcherSettings,
  'instance' | 'shardLeaseMs' | 'rules' | 'slotsMax' | 'heldMax' | 'relaysUrl'
> {
  /** Internal base URLs of the services that a dispatcher calls. */
  neighbours: { reversalSchedulerUrl: string; notificationConfigUrl: string };
  /** Keys of sealed notifications and of webhook keys, `kid:base64,kid:base64` of 32 bytes each. */
  keys: { payloadKeys: string; keyEncryptionKeys: string };
  /** Which receivers may be called. */
  outbound: OutboundPolicy;
  /** Time limits of a POST. */
  window: Omit<DispatcherSettings['post'], 'userAgent'>;
  /** New TLS connections to receivers. */
  handshakesPerSecond: number;
  /** Of so many deliveries that ended well at their first attempt, one is logged. */
  deliveriesPerLogLine: number;
}
