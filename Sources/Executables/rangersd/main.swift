import RangersNode

await Rangersd.main()
