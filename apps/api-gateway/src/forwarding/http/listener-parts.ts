import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { GatewayMetrics } from '../../telemetry';
import { CertificateFiles } from '../../tls';
import { AnswerRequest } from './answer-request';
import { ConnectionGate } from './connection-gate';

/** What the public listener works with beside its options. Nest finds each by its class. */
@Injectable()
export class ListenerParts {
  constructor(
    readonly certificates: CertificateFiles,
    readonly gate: ConnectionGate,
    readonly answerRequest: AnswerRequest,
    readonly metrics: GatewayMetrics,
    @Inject(LOGGER) readonly logger: Logger,
  ) {}
}
