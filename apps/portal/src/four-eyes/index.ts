export * from './four-eyes.module';
export { type AskedReport, FourEyesService, type Overview, type RequestReport, type Subject } from './four-eyes.service';
