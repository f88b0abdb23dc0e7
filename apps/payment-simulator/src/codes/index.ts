export { CodeUrls } from './code-urls';
export { CodesModule } from './codes.module';
export { codeStateOf, type CodeState, type PaymentCode } from './domain/code';
export { PayCodeService, type Payment } from './pay-code.service';
export { PaymentCodeEntity } from './persistence/payment-code.entity';
export { ReadCodesService } from './read-codes.service';
