#!/usr/bin/env ruby
# frozen_string_literal: true

# The beds of a small garden: what grows where, when it is watered, and what it spreads to.
module Garden
  SEASONS = %i[spring summer autumn winter].freeze
  WATER = { dry: 1, normal: 3, wet: 7 }.freeze

  class NoRoom < StandardError
    attr_reader :bed

    def initialize(bed, message = "no room in #{bed.name}")
      @bed = bed
      super(message)
    end
  end

  Plant = Struct.new(:name, :need, :spreads, keyword_init: true) do
    def thirsty?
      WATER.fetch(need, 0) > 2
    end

    def to_s = "#{name} (#{need})"
  end

  module Countable
    include Enumerable

    def tally_by(&block)
      group_by(&block).transform_values(&:size)
    end

    def summary(separator: ", ", **options)
      list = map(&:to_s)
      list = list.sort_by(&:length) if options[:sorted]
      list.empty? ? "nothing" : list.join(separator)
    end
  end

  class Bed
    include Countable
    attr_accessor :name, :size
    protected attr_reader :plants

    def initialize(name, size: 4, &setup)
      @name, @size = name, size
      @plants = []
      @watered = Hash.new { |hash, day| hash[day] = 0 }
      instance_eval(&setup) if setup
    end

    def each(&block)
      return enum_for(:each) unless block

      @plants.each(&block)
    end

    def plant(name, need = :normal, *spreads)
      raise NoRoom, self if @plants.size >= size

      @plants << Plant.new(name: name, need: need, spreads: spreads)
      self
    end

    def water(day, litres)
      needed = sum { |plant| WATER[plant.need] || 0 }
      @watered[day] += [litres, needed].min
      yield needed - litres if block_given? && needed > litres
    end

    def <=>(other)
      plants.size <=> other.plants.size
    end

    def method_missing(word, *arguments)
      case word.to_s
      when /\Ahas_(\w+)\?\z/ then any? { |plant| plant.name == Regexp.last_match(1).to_sym }
      else super
      end
    end

    def respond_to_missing?(word, all = false)
      word.start_with?("has_") || super
    end
  end

  class Plan
    def initialize(beds)
      @beds = beds.to_h { |bed| [bed.name, bed] }
      @notes = []
    end

    def [](name) = @beds[name]

    # A bed that is full gives what spreads to a new bed beside it.
    def grow(season)
      index = SEASONS.index(season) or raise ArgumentError, "no such season: #{season}"
      @beds.each do |name, bed|
        begin
          bed.to_a.each do |plant|
            plant.spreads.each { |other| bed.plant(other, plant.need) } if index.even?
          end
        rescue NoRoom => e
          @notes << "#{season}: #{e.message}"
          beside = @beds[:"#{name}_beside"] ||= Bed.new(:"#{name}_beside", size: e.bed.size * 2)
          beside.plant(:clover, :dry)
        ensure
          @notes.uniq!
        end
      end
    end

    def report(io = $stdout)
      io.puts <<~TEXT
        #{@beds.size} beds, #{@notes.length} notes
        #{@beds.values.max&.name || "none"} is the fullest
      TEXT
      @beds.each_value.with_index(1) do |bed, number|
        io.printf("%2d. %-10s %s\n", number, bed.name, bed.summary(sorted: true))
        counts = bed.tally_by { _1.thirsty? ? :thirsty : :content }
        next unless counts in { thirsty: Integer => many }

        io.puts "    #{many} need water" if many > 1
      end
    end
  end
end

if $PROGRAM_NAME == __FILE__
  herbs = Garden::Bed.new(:herbs, size: 3) do
    plant :mint, :wet, :mint
    plant :thyme, :dry
  end
  roses = Garden::Bed.new(:roses, size: 2).plant(:rose).plant(:sage, :dry, :rose, :sage)
  plan = Garden::Plan.new([herbs, roses])
  short = 0
  (1..3).step(2) { |day| herbs.water(day, 5) { |missing| short += missing } }
  puts "short of #{short} litres" unless short.zero? || !herbs.has_mint?
  Garden::SEASONS.first(3).each { |season| plan.grow(season) }
  plan.report
end
