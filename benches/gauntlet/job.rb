# Hashes, strings, sorting, and a few threads.
words = Hash.new(0)
1_200_000.times { |i| words[(i * 7919 % 90_011).to_s] += i }
puts words.size, words.values.sum, words.keys.sort.first(5).join(',')
long = Array.new(60_000) { |i| "text #{i} " * 20 }
puts long.sum(&:size)
puts(4.times.map { |mine| Thread.new { (1..100_000).sum { |i| (i * mine).to_s.size } } }.sum(&:value))
