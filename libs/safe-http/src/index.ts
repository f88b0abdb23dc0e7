export { AnswerTooLargeError, answerBytesMax, ReadLimit } from './dial/read-limit';
export {
  isOurFault,
  NameResolutionError,
  OutboundProxyError,
  OutboundRefusedError,
  OutboundTimeoutError,
} from './outbound-errors';
export { outboundEnv, type OutboundEnv, outboundPolicyOf } from './outbound-env';
export { addressTtlMsOf, type DialOptions, type DialTimings, OutboundGuard, type UrlVerdict } from './outbound-guard';
export type { OutboundPolicy } from './policy/outbound-policy';
export { type OutboundTarget, requestTargetOf, targetOf, type UrlRefusal } from './policy/url-rules';
export type { CoarseReason, ProbeDetail, ProbeOutcome, ProbeTimings } from './probe/probe-outcome';
export { type ProbeLimits, probeLimits, type ProbeMessage, UrlProber } from './probe/url-prober';
export { userAgent } from './outbound-env';
