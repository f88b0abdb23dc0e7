# frozen_string_literal: true

Gem::Specification.new do |spec|
  spec.name = 'paycode_receiver'
  spec.version = '0.1.0'
  spec.summary = "Receives Paycode's payment notifications, and logs in to Paycode"
  spec.authors = ['Paycode']
  spec.license = 'Nonstandard'
  spec.required_ruby_version = '>= 3.0'
  spec.files = Dir['lib/**/*.rb'] + Dir['README.md', 'LICENSE']
  spec.homepage = 'https://paycode.example/docs/kits/ruby/'
  spec.metadata = { 'source_code_uri' => 'https://paycode.example/paycode.git', 'documentation_uri' => spec.homepage }
end
