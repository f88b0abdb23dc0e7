export { ProbingModule, type ProbingOptions } from './probing.module';
export { ValidateUrlService } from './validate-url.service';
