export { ReversalModule } from './reversal.module';
