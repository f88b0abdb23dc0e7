export { PaymentPageModule } from './payment-page.module';
