# frozen_string_literal: true

# The program that the kit's tests run, where the packed gem is installed: `vectors <file>`, `serve rack` or `client`.
require 'json'
require 'paycode_receiver'
require 'pp'

$stdout.sync = true
FOLDER = ENV.fetch('KIT_FOLDER', '.')

def vectors(file)
  JSON.parse(File.read(file))['vectors'].each do |vector|
    puts JSON.generate({ name: vector['name'] }.merge(opened(vector)))
  end
end

def opened(vector)
  notification = PaycodeReceiver.open_notification(vector['body'], vector['keys'])
  vector['expect'].keys.to_h { |path| [path, at(notification, path)] }.merge('result' => 'OK')
rescue PaycodeReceiver::RefusedBody => e
  { result: e.code }
end

# The value of a field, named as in the JSON.
def at(notification, path)
  return nil if path == 'result'

  first, *rest = path.split('.')
  value = notification.public_send(first.gsub(/[A-Z]/) { |letter| "_#{letter.downcase}" })
  decimal(rest.reduce(value) { |inner, name| inner && inner[name] })
end

def decimal(value)
  return nil if value.nil?

  value.is_a?(BigDecimal) ? value.to_s('F').delete_suffix('.0') : value.to_s
end

def told_to?(what, notification)
  notification.reference.start_with?(what) && File.exist?(File.join(FOLDER, what))
end

# Read at each notification, because the receiver starts before its key exists.
def keys
  file = ENV.fetch('KIT_KEYS_FILE')
  File.exist?(file) ? File.readlines(file) : []
end

def handle(notification)
  puts "handling #{notification.transaction_id}"
  puts "printed #{[notification]} #{notification} #{notification.pretty_inspect}"
  raise 'told to fail' if told_to?('fail', notification)

  sleep 0.02 while told_to?('hold', notification)
  puts "handled #{notification.transaction_id} #{notification.status} #{decimal(notification.amount)} #{notification.reference}"
end

def on_error(error)
  puts "error #{error.message}"
  raise 'told to fail, too' if File.exist?(File.join(FOLDER, 'fail-on-error'))
end

def receiver
  PaycodeReceiver::Receiver.new(
    keys: method(:keys),
    store: PaycodeReceiver::FileStore.new(File.join(FOLDER, 'store')),
    handler: method(:handle),
    answer_when: ENV.fetch('KIT_WHEN', 'BEFORE').downcase.to_sym,
    answer_within: ENV.fetch('KIT_ANSWER_WITHIN_MS', '40000').to_f / 1000,
    **(ENV['KIT_ON_ERROR'] == 'DEFAULT' ? {} : { on_error: method(:on_error) })
  )
end

# A middleware that reads the body.
ReadFirst = Struct.new(:app) do
  def call(env)
    env['rack.input'].read
    app.call(env)
  end
end

# With Rack's checker of the protocol around the receiver.
def rack(adapter)
  Rack::Builder.app do
    use Rack::Lint unless adapter == 'rack, parser first'
    use ReadFirst if adapter == 'rack, parser first'
    map('/paycode') { run receiver } # in config.ru
  end
end

def rails
  require 'action_controller/railtie'
  application = Class.new(Rails::Application) { config.eager_load = false }
  application.configure { config.logger = Logger.new($stderr, level: :error) }
  application.configure { config.secret_key_base = SecureRandom.hex }
  application.routes.append { mount receiver, at: '/paycode' } # in config/routes.rb
  application.initialize!
end

# Through Rack's own handler for WEBrick.
def serve(adapter)
  require 'rack'
  require 'rack/handler/webrick'
  quiet = WEBrick::Log.new(File::NULL)
  application = adapter == 'rails' ? rails : rack(adapter)
  Rack::Handler::WEBrick.run(application, Host: '127.0.0.1', Port: 0, Logger: quiet, AccessLog: []) do |server|
    puts "listening #{server.listeners.first.addr[1]}"
  end
end

def read(name)
  file = ENV.fetch("PAYCODE_#{name}_FILE", nil)
  file && File.read(file)
end

# Calls by lines of words (describe-client.ts), and prints a line for each.
def client(_word = nil)
  url, identity, password, ca_file = %w[URL IDENTITY PASSWORD CA_FILE].map { |name| ENV.fetch("PAYCODE_#{name}") }
  keys = { private_key: read('PRIVATE_KEY'), service_key: read('SERVICE_KEY') }
  how = { 'BASIC' => {}, 'BEARER' => { bearer: true }, 'CHALLENGE' => keys }.fetch(ENV.fetch('PAYCODE_LOGIN'))
  timeout = ENV.fetch('PAYCODE_TIMEOUT_MS').to_f / 1000
  client = PaycodeReceiver::Client.new(url: url, identity: identity, password: password, ca_file: ca_file, timeout: timeout, **how)
  File.readlines(ENV.fetch('KIT_CALLS_FILE'), chomp: true).each do |line|
    call, *words = line.split
    puts result(client, call, words)
  rescue PaycodeReceiver::ApiError => e
    puts "error #{e.status} #{e.code} #{e.request_id}" # decide by the code, and give support the request id
  rescue StandardError => e
    puts "failed #{e.message}"
  end
end

def result(client, call, words)
  case call
  when 'createCode'
    reference, amount, currency = words
    @code = client.create_code(merchant_reference: reference, amount: amount, currency_code: currency)['code']
    "code #{@code}"
  when 'queryRef'
    found = client.query_ref(@code, *words)
    "reference #{decimal(found['amount'])} #{found['status']}"
  when 'getNotification'
    notification = client.get_notification(words[0].to_i)
    "notification #{notification.transaction_id} #{notification.status} #{decimal(notification.amount)}"
  when 'notifications'
    page = client.notifications(since: Time.parse(words[0]))
    "notifications #{page['notifications'].map { |each| each['transactionId'] }.join(',')}"
  when 'addHttp' then "key #{client.add_http(words[0].to_i, words[1])['encryptKey']}"
  when 'renewKey' then "key #{client.renew_key(words[0].to_i)['encryptKey']}"
  when 'extra' then entries(client.extra(words[0].to_i, words[1], words[2]))
  when 'list'
    url, identity, password, ca_file = %w[URL IDENTITY PASSWORD CA_FILE].map { |name| ENV.fetch("PAYCODE_#{name}") }
    client = PaycodeReceiver::Client.new(url: url, identity: identity, password: password, ca_file: ca_file)
    entries(client.list(words[0].to_i))
  when 'send' then "text #{client.send_request(*words)}"
  when 'logIn' then "session #{client.log_in['sessionId']}"
  when 'renew' then "session #{client.renew['sessionId']}"
  when 'logOut'
    client.log_out
    'logged out'
  when 'resume'
    receiver.resume(client.method(:get_notification)) # a server calls it every minute
    'resumed'
  when 'print' then "printed #{[client]} #{client.pretty_inspect}".tr("\n", ' ')
  end
end

def entries(list)
  "entries #{list.map { |each| "#{each['type']}=#{each['value']}" }.join(',')}"
end

send(ARGV[0], ARGV[1])
