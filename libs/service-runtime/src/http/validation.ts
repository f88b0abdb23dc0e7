import { BadRequestException, ValidationPipe } from '@nestjs/common';
import type { FieldError } from '@paycode/dto';
import type { ValidationError } from 'class-validator';

/** Flattens nested class-validator errors to `field.path` + rule. Values are never echoed. */
export function fieldErrors(errors: readonly ValidationError[], prefix = ''): FieldError[] {
  return errors.flatMap(error => {
    const field = prefix + error.property;
    const own = Object.values(error.constraints ?? {}).map(message => ({ field, message }));
    return [...own, ...fieldErrors(error.children ?? [], `${field}.`)];
  });
}

/** Body and query validation: strict types, unknown fields ignored, every problem named. */
export function validationPipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    transformOptions: { enableImplicitConversion: false },
    validationError: { target: false, value: false },
    exceptionFactory: errors => {
      const problems = fieldErrors(errors);
      return new BadRequestException({ message: problems[0]?.message ?? 'invalid request', errors: problems });
    },
  });
}
